// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {Base} from "./Base.sol";

/// @notice A captured payment: refunds and settlement.
contract CapturedTest is Base {
    IPaymentEscrow.PaymentTerms private terms;
    bytes32 private id;

    function setUp() public override {
        super.setUp();
        terms = newTerms();
        id = open(terms);
    }

    function test_aPartIsRefundedWithoutAFee() public {
        uint256 before = usdc.balanceOf(payer);
        bytes memory call = refundCall(5, AMOUNT);
        expectEvent();
        emit IPaymentEscrow.Refunded(id, terms.intentId, payer, 5, AMOUNT - 5);
        done(operator, call);
        hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT - 5);
        eq(usdc.balanceOf(payer), before + 5, "payer");
        (,, uint40 capturedAt,) = escrow.stateOf(id);
        eq(capturedAt, START, "capturedAt");
    }

    function test_allIsRefundedInTwoParts() public {
        done(merchant, refundCall(AMOUNT - 7, AMOUNT));
        bytes memory call = refundCall(7, 7);
        expectEvent();
        emit IPaymentEscrow.Refunded(id, terms.intentId, payer, 7, 0);
        done(operator, call);
        hasState(id, IPaymentEscrow.Status.REFUNDED, 0);
        eq(usdc.balanceOf(address(escrow)), 0, "escrow");
        bytes memory failure = wrongStatus(id, IPaymentEscrow.Status.REFUNDED, IPaymentEscrow.Status.CAPTURED);
        refused(operator, refundCall(1, 0), failure);
        vm.warp(START + terms.timelock);
        refused(stranger, settleCall(), failure);
    }

    function test_nobodyElseRefunds() public {
        refused(stranger, refundCall(1, AMOUNT), notAllowed(stranger));
        refused(payer, refundCall(1, AMOUNT), notAllowed(payer));
        refused(arbiter, refundCall(1, AMOUNT), notAllowed(arbiter));
    }

    function test_oneOfTwoRacingRefundsWins() public {
        done(operator, refundCall(10, AMOUNT));
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.WrongLeft.selector, AMOUNT - 10, AMOUNT);
        refused(operator, refundCall(10, AMOUNT), failure);
    }

    function test_theRefundIsMoreThanZeroAndAtMostWhatIsLeft() public {
        refused(operator, refundCall(0, AMOUNT), abi.encodeWithSelector(IPaymentEscrow.ZeroAmount.selector));
        bytes memory failure =
            abi.encodeWithSelector(IPaymentEscrow.AmountAboveLeft.selector, AMOUNT + 1, AMOUNT);
        refused(operator, refundCall(AMOUNT + 1, AMOUNT), failure);
    }

    function test_refundsAreAllowedUntilSettled() public {
        vm.warp(START + 1000 days);
        done(operator, refundCall(3, AMOUNT));
        done(stranger, settleCall());
        bytes memory failure = wrongStatus(id, IPaymentEscrow.Status.SETTLED, IPaymentEscrow.Status.CAPTURED);
        refused(operator, refundCall(1, 0), failure);
    }

    function test_anybodySettlesFromTheTimelocksEnd() public {
        vm.warp(START + terms.timelock - 1);
        bytes memory failure = abi.encodeWithSelector(
            IPaymentEscrow.TimelockNotOver.selector, block.timestamp, START + terms.timelock
        );
        refused(operator, settleCall(), failure);
        vm.warp(START + terms.timelock);
        uint128 fee = uint128(feeOf(AMOUNT));
        bytes memory call = settleCall();
        expectEvent();
        emit IPaymentEscrow.Settled(id, terms.intentId, payer, AMOUNT - fee, fee, 0);
        done(stranger, call);
        (IPaymentEscrow.Status status, uint128 left, uint40 capturedAt, uint40 disputedAt) = escrow.stateOf(id);
        eq(uint8(status), uint8(IPaymentEscrow.Status.SETTLED), "status");
        eq(left, 0, "left");
        eq(capturedAt, START, "capturedAt");
        eq(disputedAt, 0, "disputedAt");
        eq(usdc.balanceOf(merchant), AMOUNT - fee, "merchant");
        eq(usdc.balanceOf(feeRecipient), fee, "fee");
        eq(usdc.balanceOf(address(escrow)), 0, "escrow");
        refused(stranger, call, wrongStatus(id, IPaymentEscrow.Status.SETTLED, IPaymentEscrow.Status.CAPTURED));
    }

    function test_withoutATimelockItSettlesInTheSameSecond() public {
        IPaymentEscrow.PaymentTerms memory quick = newTerms();
        quick.timelock = 0;
        quick.disputeWindow = 0;
        quick.arbiter = address(0);
        quick.feeBps = 0;
        quick.feeRecipient = address(0);
        open(quick);
        done(stranger, abi.encodeCall(escrow.settle, (quick)));
        eq(usdc.balanceOf(merchant), AMOUNT, "merchant");
    }

    function test_theNativeCoinSettles() public {
        IPaymentEscrow.PaymentTerms memory native = newTerms();
        native.token = address(0);
        open(native);
        vm.warp(START + terms.timelock);
        done(stranger, abi.encodeCall(escrow.settle, (native)));
        eq(merchant.balance, AMOUNT - feeOf(AMOUNT), "merchant");
        eq(feeRecipient.balance, feeOf(AMOUNT), "fee");
    }

    function test_aDisputeStopsTheSettlement() public {
        done(payer, abi.encodeCall(escrow.dispute, (terms)));
        vm.warp(START + 400 days);
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.AlreadyDisputed.selector, id, START);
        refused(stranger, settleCall(), failure);
    }

    function testFuzz_whatComesInGoesOut(uint128 amount, uint128 refunded, uint16 feeBps) public {
        IPaymentEscrow.PaymentTerms memory any = newTerms();
        any.amount = uint128(bound(amount, 1, 1e14));
        any.feeBps = uint16(bound(feeBps, 0, 1_000));
        refunded = uint128(bound(refunded, 1, any.amount));
        bytes32 anyId = open(any);
        uint256 before = usdc.balanceOf(payer);
        done(operator, abi.encodeCall(escrow.refund, (any, refunded, any.amount)));
        eq(usdc.balanceOf(payer) - before, refunded, "payer");
        if (refunded == any.amount) return hasState(anyId, IPaymentEscrow.Status.REFUNDED, 0);
        vm.warp(START + any.timelock);
        done(stranger, abi.encodeCall(escrow.settle, (any)));
        uint256 settled = any.amount - refunded;
        uint256 fee = settled * any.feeBps / 10_000;
        eq(usdc.balanceOf(feeRecipient), fee, "fee");
        eq(usdc.balanceOf(merchant), settled - fee, "merchant");
        eq(usdc.balanceOf(address(escrow)), AMOUNT, "what the other payment holds");
    }

    function test_theLargestAmountSplitsWithoutOverflow() public {
        uint128 whole = type(uint128).max;
        IPaymentEscrow.PaymentTerms memory huge = newTerms();
        huge.amount = whole;
        usdc.mint(payer, whole);
        bytes32 hugeId = open(huge);
        hasState(hugeId, IPaymentEscrow.Status.CAPTURED, whole);
        done(payer, abi.encodeCall(escrow.dispute, (huge)));
        done(arbiter, abi.encodeCall(escrow.resolve, (huge, 9_999)));
        uint256 back = uint256(whole) * 9_999 / 10_000;
        uint256 fee = (whole - back) * 250 / 10_000;
        eq(usdc.balanceOf(feeRecipient), fee, "fee");
        eq(usdc.balanceOf(merchant), whole - back - fee, "merchant");
    }

    function refundCall(uint128 amount, uint128 expectedLeft) private view returns (bytes memory) {
        return abi.encodeCall(escrow.refund, (terms, amount, expectedLeft));
    }

    function settleCall() private view returns (bytes memory) {
        return abi.encodeCall(escrow.settle, (terms));
    }
}
