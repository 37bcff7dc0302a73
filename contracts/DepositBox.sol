// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What a deposit box does for the escrow that deployed it
interface IDepositBox {
    /// @notice What the box holds of a token.
    /// @param token an ERC-20, or zero for the native coin
    /// @return amount base units; zero if the token does not answer with a balance
    function held(address token) external view returns (uint256 amount);

    /// @notice Sends a part of what the box holds, with all the gas that the call has.
    /// @param token an ERC-20, or zero for the native coin
    /// @param to who receives it: the escrow, or the payer
    /// @param amount base units
    /// @return sent whether the recipient accepted the coin; of a token, whether it returned true or nothing, which
    ///         suffices because only a token that answered `held` is asked to send
    function send(address token, address to, uint256 amount) external returns (bool sent);
}

/// @title The contract at one payment's deposit address
/// @notice Holds what was sent to that address until the escrow collects it for the payment or returns it to the payer.
///         It obeys only the escrow that deployed it, it has no other function, and it is there forever.
/// @dev The escrow deploys it by CREATE2 with the payment's id as salt, so that its address follows from the escrow and
///      the payment's terms. It has no constructor arguments: its creation code is the same for every payment. The box,
///      and not the escrow, is what a token sees as its caller, because anybody may name the token to return.
///      Each byte of its code costs each deposit 200 gas, so that it dispatches and decodes by hand what the escrow
///      encodes by IDepositBox; that halves the code. It copies at most one word of what it calls returns.
contract DepositBox {
    /// @dev The contract that deployed this box.
    address private immutable _escrow = msg.sender;

    /// @notice Takes the native coin from anybody; the 2,300 gas of a plain transfer by a contract suffice.
    receive() external payable {}

    /// @notice Does what IDepositBox says for the escrow; reverts for every other caller and every other function.
    fallback() external {
        address escrow = _escrow;
        assembly {
            if xor(caller(), escrow) { revert(0, 0) }
            let token := calldataload(0x04)
            switch shr(224, calldataload(0x00))
            // held(address)
            case 0x32f750ff {
                switch token
                case 0 { mstore(0x00, selfbalance()) }
                default {
                    // balanceOf(address)
                    mstore(0x00, shl(224, 0x70a08231))
                    mstore(0x04, address())
                    let answered := staticcall(gas(), token, 0x00, 0x24, 0x00, 0x20)
                    if iszero(and(answered, gt(returndatasize(), 0x1f))) { mstore(0x00, 0) }
                }
            }
            // send(address,address,uint256)
            case 0x0779afe6 {
                let to := calldataload(0x24)
                let sent
                switch token
                case 0 { sent := call(gas(), to, calldataload(0x44), 0, 0, 0, 0) }
                default {
                    // transfer(address,uint256)
                    mstore(0x00, shl(224, 0xa9059cbb))
                    mstore(0x04, to)
                    mstore(0x24, calldataload(0x44))
                    sent := call(gas(), token, 0, 0x00, 0x44, 0x00, 0x20)
                    if returndatasize() {
                        sent := and(sent, and(gt(returndatasize(), 0x1f), eq(mload(0x00), 1)))
                    }
                }
                mstore(0x00, sent)
            }
            default { revert(0, 0) }
            return(0x00, 0x20)
        }
    }
}
