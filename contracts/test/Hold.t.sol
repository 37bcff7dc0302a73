// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {Base} from "./Base.sol";

/// @notice A hold: capture whole or in part, void, reclaim.
contract HoldTest is Base {
    IPaymentEscrow.PaymentTerms private terms;
    bytes32 private id;

    function setUp() public override {
        super.setUp();
        terms = newHold();
        id = open(terms);
    }

    function test_theOperatorCapturesAll() public {
        vm.warp(START + 99);
        bytes memory call = captureCall(AMOUNT, AMOUNT);
        expectEvent();
        emit IPaymentEscrow.Captured(id, terms.intentId, payer, AMOUNT, 0, AMOUNT);
        done(operator, call);
        (IPaymentEscrow.Status status, uint128 left, uint40 capturedAt, uint40 disputedAt) = escrow.stateOf(id);
        eq(uint8(status), uint8(IPaymentEscrow.Status.CAPTURED), "status");
        eq(left, AMOUNT, "left");
        eq(capturedAt, START + 99, "capturedAt");
        eq(disputedAt, 0, "disputedAt");
        eq(usdc.balanceOf(address(escrow)), AMOUNT, "escrow");
    }

    function test_theMerchantCapturesAPartAndTheRestReturns() public {
        uint256 before = usdc.balanceOf(payer);
        bytes memory call = captureCall(10_000_000, AMOUNT);
        expectEvent();
        emit IPaymentEscrow.Captured(id, terms.intentId, payer, 10_000_000, AMOUNT - 10_000_000, 10_000_000);
        done(merchant, call);
        hasState(id, IPaymentEscrow.Status.CAPTURED, 10_000_000);
        eq(usdc.balanceOf(payer), before + AMOUNT - 10_000_000, "payer");
        eq(usdc.balanceOf(address(escrow)), 10_000_000, "escrow");
    }

    function test_nobodyElseCaptures() public {
        refused(stranger, captureCall(AMOUNT, AMOUNT), notAllowed(stranger));
        refused(payer, captureCall(AMOUNT, AMOUNT), notAllowed(payer));
        refused(arbiter, captureCall(AMOUNT, AMOUNT), notAllowed(arbiter));
    }

    function test_captureByIsTheLastSecondToCapture() public {
        vm.warp(terms.captureBy + 1);
        bytes memory failure =
            abi.encodeWithSelector(IPaymentEscrow.CaptureByPassed.selector, block.timestamp, terms.captureBy);
        refused(operator, captureCall(AMOUNT, AMOUNT), failure);
        vm.warp(terms.captureBy);
        done(operator, captureCall(AMOUNT, AMOUNT));
    }

    function test_theAmountIsMoreThanZeroAndAtMostWhatIsLeft() public {
        refused(operator, captureCall(0, AMOUNT), abi.encodeWithSelector(IPaymentEscrow.ZeroAmount.selector));
        bytes memory failure =
            abi.encodeWithSelector(IPaymentEscrow.AmountAboveLeft.selector, AMOUNT + 1, AMOUNT);
        refused(operator, captureCall(AMOUNT + 1, AMOUNT), failure);
        done(operator, captureCall(1, AMOUNT));
    }

    function test_aWrongExpectationOfWhatIsLeftIsRefused() public {
        refused(
            operator,
            captureCall(1, AMOUNT - 1),
            abi.encodeWithSelector(IPaymentEscrow.WrongLeft.selector, AMOUNT, AMOUNT - 1)
        );
        refused(
            operator,
            captureCall(1, AMOUNT + 1),
            abi.encodeWithSelector(IPaymentEscrow.WrongLeft.selector, AMOUNT, AMOUNT + 1)
        );
    }

    function test_onlyAHoldIsCaptured() public {
        done(operator, captureCall(AMOUNT, AMOUNT));
        refused(
            operator,
            captureCall(AMOUNT, AMOUNT),
            wrongStatus(id, IPaymentEscrow.Status.CAPTURED, IPaymentEscrow.Status.AUTHORIZED)
        );
        IPaymentEscrow.PaymentTerms memory unknown = newHold();
        refused(
            operator,
            abi.encodeCall(escrow.capture, (unknown, AMOUNT, AMOUNT)),
            wrongStatus(escrow.idOf(unknown), IPaymentEscrow.Status.NONE, IPaymentEscrow.Status.AUTHORIZED)
        );
    }

    function test_operatorOrMerchantVoids() public {
        uint256 before = usdc.balanceOf(payer);
        bytes memory call = abi.encodeCall(escrow.void, (terms));
        refused(stranger, call, notAllowed(stranger));
        refused(payer, call, notAllowed(payer));
        expectEvent();
        emit IPaymentEscrow.Voided(id, terms.intentId, payer, AMOUNT, 0);
        done(operator, call);
        hasState(id, IPaymentEscrow.Status.VOIDED, 0);
        eq(usdc.balanceOf(payer), before + AMOUNT, "payer");
        refused(operator, call, wrongStatus(id, IPaymentEscrow.Status.VOIDED, IPaymentEscrow.Status.AUTHORIZED));
        IPaymentEscrow.PaymentTerms memory second = newHold();
        open(second);
        vm.warp(second.captureBy + 1);
        done(merchant, abi.encodeCall(escrow.void, (second)));
        eq(usdc.balanceOf(payer), before + AMOUNT, "payer again");
    }

    function test_anybodyReclaimsAfterCaptureBy() public {
        uint256 before = usdc.balanceOf(payer);
        bytes memory call = abi.encodeCall(escrow.reclaim, (terms));
        vm.warp(terms.captureBy);
        bytes memory failure =
            abi.encodeWithSelector(IPaymentEscrow.CaptureByNotPassed.selector, block.timestamp, terms.captureBy);
        refused(stranger, call, failure);
        vm.warp(terms.captureBy + 1);
        expectEvent();
        emit IPaymentEscrow.Reclaimed(id, terms.intentId, payer, AMOUNT, 0);
        done(stranger, call);
        hasState(id, IPaymentEscrow.Status.RECLAIMED, 0);
        eq(usdc.balanceOf(payer), before + AMOUNT, "payer");
        refused(stranger, call, wrongStatus(id, IPaymentEscrow.Status.RECLAIMED, IPaymentEscrow.Status.AUTHORIZED));
    }

    function test_aCapturedPaymentIsNeitherVoidedNorReclaimed() public {
        done(operator, captureCall(AMOUNT, AMOUNT));
        bytes memory failure = wrongStatus(id, IPaymentEscrow.Status.CAPTURED, IPaymentEscrow.Status.AUTHORIZED);
        refused(operator, abi.encodeCall(escrow.void, (terms)), failure);
        vm.warp(terms.captureBy + 1);
        refused(stranger, abi.encodeCall(escrow.reclaim, (terms)), failure);
    }

    function test_aHoldIsNeitherRefundedSettledNorDisputed() public {
        bytes memory failure = wrongStatus(id, IPaymentEscrow.Status.AUTHORIZED, IPaymentEscrow.Status.CAPTURED);
        refused(operator, abi.encodeCall(escrow.refund, (terms, AMOUNT, AMOUNT)), failure);
        refused(payer, abi.encodeCall(escrow.dispute, (terms)), failure);
        refused(arbiter, abi.encodeCall(escrow.resolve, (terms, 0)), failure);
        refused(operator, abi.encodeCall(escrow.concede, (terms)), failure);
        refused(stranger, abi.encodeCall(escrow.resolveByTimeout, (terms)), failure);
        vm.warp(START + 400 days);
        refused(stranger, abi.encodeCall(escrow.settle, (terms)), failure);
    }

    function test_theNativeCoinIsCapturedAndVoidedAlike() public {
        IPaymentEscrow.PaymentTerms memory native = newHold();
        native.token = address(0);
        open(native);
        uint256 before = payer.balance;
        done(operator, abi.encodeCall(escrow.capture, (native, 3, AMOUNT)));
        eq(payer.balance, before + AMOUNT - 3, "payer");
        eq(address(escrow).balance, 3, "escrow");
    }

    function testFuzz_captureSplitsExactly(uint128 amount) public {
        amount = uint128(bound(amount, 1, AMOUNT));
        uint256 before = usdc.balanceOf(payer);
        done(operator, captureCall(amount, AMOUNT));
        eq(usdc.balanceOf(payer) - before, AMOUNT - amount, "payer");
        hasState(id, IPaymentEscrow.Status.CAPTURED, amount);
    }

    function captureCall(uint128 amount, uint128 expectedLeft) private view returns (bytes memory) {
        return abi.encodeCall(escrow.capture, (terms, amount, expectedLeft));
    }
}
