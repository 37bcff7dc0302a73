// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A share of an amount in basis points, rounded down
library Shares {
    /// @dev Of at most 10,000 basis points, a share is no more than the amount, and so the cast changes nothing.
    function shareOf(uint128 amount, uint16 bps) internal pure returns (uint128) {
        return uint128(wideShareOf(amount, bps));
    }

    function wideShareOf(uint128 amount, uint16 bps) internal pure returns (uint256) {
        return uint256(amount) * bps / 10_000;
    }
}

/// @title What is proved of shares
/// @notice The proofs of PaymentKernel know of a share only what the first two functions prove of it.
/// @dev Each proof mentions the product with the complement, which is never negative: the solver needs this hint.
contract SharesKernel {
    uint16 private constant MAX_BPS = 10_000;
    uint16 private constant MAX_FEE_BPS = 1_000;

    function shareIsPart(uint128 amount, uint16 bps) external pure {
        require(bps <= MAX_BPS);
        uint256 complement = uint256(amount) * (MAX_BPS - bps);
        uint256 share = Shares.wideShareOf(amount, bps);
        assert(share <= amount || complement == 0);
        assert(share <= amount);
    }

    function feeIsAtMostATenth(uint128 amount, uint16 bps) external pure {
        require(bps <= MAX_FEE_BPS);
        uint256 complement = uint256(amount) * (MAX_FEE_BPS - bps);
        uint256 share = Shares.wideShareOf(amount, bps);
        assert(share * 10 <= amount || complement == 0);
        assert(share * 10 <= amount);
    }

    /// @dev Rounded down: no more than the exact share.
    function shareIsRoundedDown(uint128 amount, uint16 bps) external pure {
        uint256 exact = uint256(amount) * bps;
        assert(Shares.wideShareOf(amount, bps) * MAX_BPS <= exact);
    }
}
