// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {Account} from "./Account.sol";
import {cheats} from "./Cheats.sol";
import {DepositHandler} from "./DepositHandler.sol";
import {TrickToken} from "./TrickToken.sol";
import {World} from "./World.sol";

/// @notice All that may happen, and the end of it: operator, merchant and arbiter gone, and only time passing.
contract Handler is DepositHandler {
    constructor(IPaymentEscrow escrow_, IPaymentEscrow twin_) World(escrow_, twin_) {}

    function selectors() external pure returns (bytes4[] memory list) {
        list = new bytes4[](OPS);
        list[uint256(Op.AUTHORIZE_DIRECT)] = this.authorizeDirect.selector;
        list[uint256(Op.AUTHORIZE_WITH_PERMIT)] = this.authorizeWithPermit.selector;
        list[uint256(Op.AUTHORIZE_WITH_FRONT_RUN_PERMIT)] = this.authorizeWithFrontRunPermit.selector;
        list[uint256(Op.AUTHORIZE_WITH_ALLOWANCE)] = this.authorizeWithAllowance.selector;
        list[uint256(Op.AUTHORIZE_WITH_RECEIVE)] = this.authorizeWithReceive.selector;
        list[uint256(Op.AUTHORIZE_OUT_OF_BOUNDS)] = this.authorizeOutOfBounds.selector;
        list[uint256(Op.CAPTURE)] = this.capture.selector;
        list[uint256(Op.VOID)] = this.void.selector;
        list[uint256(Op.RECLAIM)] = this.reclaim.selector;
        list[uint256(Op.REFUND)] = this.refund.selector;
        list[uint256(Op.SETTLE)] = this.settle.selector;
        list[uint256(Op.DISPUTE)] = this.dispute.selector;
        list[uint256(Op.DISPUTE_WITH_SIGNATURE)] = this.disputeWithSignature.selector;
        list[uint256(Op.RESOLVE)] = this.resolve.selector;
        list[uint256(Op.CONCEDE)] = this.concede.selector;
        list[uint256(Op.RESOLVE_BY_TIMEOUT)] = this.resolveByTimeout.selector;
        list[uint256(Op.SIGN_CONSENT)] = this.signConsent.selector;
        list[uint256(Op.CHARGE)] = this.charge.selector;
        list[uint256(Op.REVOKE)] = this.revoke.selector;
        list[uint256(Op.CLAIM)] = this.claim.selector;
        list[uint256(Op.CLAIM_FOR)] = this.claimFor.selector;
        list[uint256(Op.PASS_TIME)] = this.passTime.selector;
        list[uint256(Op.CHANGE_CHAIN_ID)] = this.changeChainId.selector;
        list[uint256(Op.BLACKLIST)] = this.blacklist.selector;
        list[uint256(Op.PAUSE)] = this.pause.selector;
        list[uint256(Op.ARM_REENTRY)] = this.armReentry.selector;
        list[uint256(Op.DONATE)] = this.donate.selector;
        list[uint256(Op.STARVE_OF_GAS)] = this.starveOfGas.selector;
        list[uint256(Op.STEAL_WITH_OPERATOR_KEY)] = this.stealWithOperatorKey.selector;
        list[uint256(Op.REPLAY)] = this.replay.selector;
        list[uint256(Op.REPLAY_ELSEWHERE)] = this.replayElsewhere.selector;
        list[uint256(Op.ACT_WITHOUT_RIGHT)] = this.actWithoutRight.selector;
        list[uint256(Op.EXPECT_WRONG_LEFT)] = this.expectWrongLeft.selector;
        list[uint256(Op.FORGE_TERMS)] = this.forgeTerms.selector;
        list[uint256(Op.PAY_WRONG_VALUE)] = this.payWrongValue.selector;
        list[uint256(Op.OVERCHARGE)] = this.overcharge.selector;
        list[uint256(Op.CHARGE_WRONG_PERIOD)] = this.chargeWrongPeriod.selector;
        list[uint256(Op.DEPOSIT)] = this.deposit.selector;
        list[uint256(Op.AUTHORIZE_FROM_DEPOSIT)] = this.authorizeFromDeposit.selector;
        list[uint256(Op.RETURN_DEPOSIT)] = this.returnDeposit.selector;
        list[uint256(Op.ROB_DEPOSIT)] = this.robDeposit.selector;
    }

    /// @notice The latest second at which a payment of these terms may still hold money, whoever has gone.
    /// @dev From the terms and the moment of authorization alone.
    function latestEnd(bytes32 id) public view returns (uint256) {
        IPaymentEscrow.PaymentTerms memory t = termsOf[id];
        uint256 captured = t.captureOnAuthorize ? payments[id].authorizedAt : t.captureBy;
        uint256 disputed = captured + t.disputeWindow + t.disputeTimeout;
        uint256 settled = captured + t.timelock;
        uint256 end = t.disputeWindow > 0 && disputed > settled ? disputed : settled;
        return end > captured + 1 ? end : captured + 1;
    }

    /// @notice Invariant 8: lets time pass and empties everything open with one stranger's public calls.
    function outlive() external {
        for (uint256 i; i < ids.length; ++i) {
            bytes32 id = ids[i];
            if (payments[id].left == 0) continue;
            uint256 end = emptiesAt(id);
            _must(end <= latestEnd(id), "8: a payment outlives what its terms allow");
            if (end > time) time = end;
            cheats.warp(time);
            (, bytes memory data) = _publicCall(id);
            bool ok = _call(stranger, 0, GAS, data);
            _must(ok, "8: no public call empties an open payment");
            if (ok) _emptied(id);
        }
    }

    /// @notice Once nobody is hostile any more, everything credited is claimed: by its recipient, or by a stranger for it.
    function claimAll() external {
        for (uint256 j = 1; j < tokens.length; ++j) TrickToken(tokens[j]).setPaused(false);
        for (uint256 i; i < everybody.length; ++i) {
            if (_isAccount(everybody[i])) {
                Account(payable(everybody[i])).setMode(Account.Mode.ACCEPT, address(0), "");
            }
            for (uint256 j = 1; j < tokens.length; ++j) TrickToken(tokens[j]).setBlocked(everybody[i], false);
        }
        for (uint256 i; i < everybody.length; ++i) {
            for (uint256 j; j < tokens.length; ++j) {
                if (credits[everybody[i]][tokens[j]] == 0) continue;
                bool ok = (i + j) % 2 == 0
                    ? _call(stranger, 0, GAS, abi.encodeCall(IPaymentEscrow.claimFor, (everybody[i], tokens[j])))
                    : _call(everybody[i], 0, GAS, abi.encodeCall(IPaymentEscrow.claim, (tokens[j], everybody[i])));
                _must(ok, "8: a credit cannot be claimed");
                if (ok) _claimed(everybody[i], tokens[j], everybody[i]);
            }
        }
    }
}
