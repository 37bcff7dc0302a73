// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {Base} from "./Base.sol";

/// @notice Takes money in, and answers a transfer out with 31 zero bytes while it moves nothing.
contract ShortToken {
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function transfer(address, uint256) external pure {
        assembly ("memory-safe") {
            mstore(0, 0)
            return(0, 31)
        }
    }
}

/// @notice An answer that is no whole word is no yes, whatever lay in memory before it.
contract ShortAnswerTest is Base {
    function test_aShortAnswerIsNotPaid() public {
        ShortToken token = new ShortToken();
        token.mint(payer, 10 * AMOUNT);
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(token);
        // The id is hashed in the word that the answer falls into: its last byte would complete the zeros to one.
        while (uint8(uint256(escrow.idOf(terms))) != 1) terms.intentId = keccak256(abi.encode(terms.intentId));
        open(terms);
        vm.warp(START + terms.timelock);
        done(stranger, abi.encodeCall(escrow.settle, (terms)));
        eq(escrow.creditOf(merchant, address(token)), AMOUNT - feeOf(AMOUNT), "credit");
        eq(token.balanceOf(address(escrow)), AMOUNT, "escrow");
    }
}
