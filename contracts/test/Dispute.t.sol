// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {SmartAccount} from "./Accounts.sol";
import {Base} from "./Base.sol";

/// @notice Disputes: opened by the payer, ended by arbiter, concession, full refund or time.
contract DisputeTest is Base {
    IPaymentEscrow.PaymentTerms private terms;
    bytes32 private id;

    function setUp() public override {
        super.setUp();
        terms = newTerms();
        id = open(terms);
    }

    function test_thePayerDisputes() public {
        vm.warp(START + 5);
        bytes memory call = disputeCall();
        expectEvent();
        emit IPaymentEscrow.Disputed(id, terms.intentId, payer, AMOUNT);
        done(payer, call);
        (IPaymentEscrow.Status status, uint128 left, uint40 capturedAt, uint40 disputedAt) = escrow.stateOf(id);
        eq(uint8(status), uint8(IPaymentEscrow.Status.CAPTURED), "status");
        eq(left, AMOUNT, "left");
        eq(capturedAt, START, "capturedAt");
        eq(disputedAt, START + 5, "disputedAt");
    }

    function test_nobodyElseDisputes() public {
        refused(operator, disputeCall(), abi.encodeWithSelector(IPaymentEscrow.NotPayer.selector, operator, payer));
        refused(stranger, disputeCall(), abi.encodeWithSelector(IPaymentEscrow.NotPayer.selector, stranger, payer));
    }

    function test_anybodyRelaysThePayersDispute() public {
        bytes32 digest = disputeDigest();
        bytes memory failure =
            abi.encodeWithSelector(IPaymentEscrow.InvalidPayerSignature.selector, digest, payer);
        refused(stranger, relayCall(sign(STRANGER_KEY, digest)), failure);
        refused(stranger, relayCall(sign(PAYER_KEY, id)), failure);
        done(stranger, relayCall(sign(PAYER_KEY, digest)));
        (,,, uint40 disputedAt) = escrow.stateOf(id);
        eq(disputedAt, START, "disputedAt");
        failure = abi.encodeWithSelector(IPaymentEscrow.AlreadyDisputed.selector, id, START);
        refused(stranger, relayCall(sign(PAYER_KEY, digest)), failure);
    }

    function test_aContractDisputesBySignature() public {
        SmartAccount account = new SmartAccount();
        usdc.mint(address(account), AMOUNT);
        account.execute(address(usdc), 0, abi.encodeCall(usdc.approve, (address(escrow), AMOUNT)));
        terms = newTerms();
        terms.payer = address(account);
        id = open(terms);
        account.accept(disputeDigest());
        done(stranger, relayCall(""));
        (,,, uint40 disputedAt) = escrow.stateOf(id);
        eq(disputedAt, START, "disputedAt");
    }

    function test_theWindowsLastSecond() public {
        uint256 end = START + terms.disputeWindow;
        vm.warp(end);
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.DisputeWindowOver.selector, end, end);
        refused(payer, disputeCall(), failure);
        vm.warp(end - 1);
        done(payer, disputeCall());
    }

    function test_noSecondAllowsBothDisputeAndSettlement() public {
        terms = newTerms();
        terms.timelock = 3 days;
        terms.disputeWindow = 3 days;
        id = open(terms);
        vm.warp(START + 3 days - 1);
        bytes memory settle = abi.encodeCall(escrow.settle, (terms));
        refused(
            stranger,
            settle,
            abi.encodeWithSelector(IPaymentEscrow.TimelockNotOver.selector, START + 3 days - 1, START + 3 days)
        );
        vm.warp(START + 3 days);
        refused(
            payer,
            disputeCall(),
            abi.encodeWithSelector(IPaymentEscrow.DisputeWindowOver.selector, START + 3 days, START + 3 days)
        );
        done(stranger, settle);
    }

    function test_withoutAWindowThereIsNoDispute() public {
        terms = newTerms();
        terms.disputeWindow = 0;
        terms.arbiter = address(0);
        id = open(terms);
        refused(
            payer, disputeCall(), abi.encodeWithSelector(IPaymentEscrow.DisputeWindowOver.selector, START, START)
        );
    }

    function test_aPaymentIsDisputedOnce() public {
        done(payer, disputeCall());
        refused(
            payer, disputeCall(), abi.encodeWithSelector(IPaymentEscrow.AlreadyDisputed.selector, id, START)
        );
        done(operator, abi.encodeCall(escrow.concede, (terms)));
        refused(
            payer,
            disputeCall(),
            wrongStatus(id, IPaymentEscrow.Status.RESOLVED, IPaymentEscrow.Status.CAPTURED)
        );
    }

    function test_theArbiterSplitsAndTheFeeIsOnTheMerchantsShareOnly() public {
        done(payer, disputeCall());
        uint256 before = usdc.balanceOf(payer);
        uint128 back = uint128(uint256(AMOUNT) * 3_333 / 10_000);
        uint128 fee = uint128(feeOf(AMOUNT - back));
        uint128 net = AMOUNT - back - fee;
        bytes memory call = abi.encodeCall(escrow.resolve, (terms, 3_333));
        expectEvent();
        emit IPaymentEscrow.Resolved(
            id, terms.intentId, payer, IPaymentEscrow.Resolution.ARBITER, 3_333, back, net, fee, 0
        );
        done(arbiter, call);
        (IPaymentEscrow.Status status, uint128 left, uint40 capturedAt, uint40 disputedAt) = escrow.stateOf(id);
        eq(uint8(status), uint8(IPaymentEscrow.Status.RESOLVED), "status");
        eq(left, 0, "left");
        eq(capturedAt, START, "capturedAt");
        eq(disputedAt, START, "disputedAt");
        eq(usdc.balanceOf(payer) - before, back, "payer");
        eq(usdc.balanceOf(merchant), net, "merchant");
        eq(usdc.balanceOf(feeRecipient), fee, "fee");
        refused(arbiter, call, wrongStatus(id, IPaymentEscrow.Status.RESOLVED, IPaymentEscrow.Status.CAPTURED));
    }

    function test_onlyTheArbiterResolvesAndOnlyADispute() public {
        bytes memory call = abi.encodeCall(escrow.resolve, (terms, 0));
        refused(arbiter, call, abi.encodeWithSelector(IPaymentEscrow.NotDisputed.selector, id));
        done(payer, disputeCall());
        refused(operator, call, abi.encodeWithSelector(IPaymentEscrow.NotArbiter.selector, operator, arbiter));
        refused(payer, call, abi.encodeWithSelector(IPaymentEscrow.NotArbiter.selector, payer, arbiter));
        refused(
            arbiter,
            abi.encodeCall(escrow.resolve, (terms, 10_001)),
            abi.encodeWithSelector(IPaymentEscrow.ShareAboveMax.selector, 10_001, 10_000)
        );
        done(arbiter, call);
        eq(usdc.balanceOf(merchant), AMOUNT - feeOf(AMOUNT), "merchant");
    }

    function test_operatorOrMerchantConcedes() public {
        bytes memory call = abi.encodeCall(escrow.concede, (terms));
        refused(operator, call, abi.encodeWithSelector(IPaymentEscrow.NotDisputed.selector, id));
        done(payer, disputeCall());
        refused(stranger, call, notAllowed(stranger));
        refused(arbiter, call, notAllowed(arbiter));
        uint256 before = usdc.balanceOf(payer);
        expectEvent();
        emit IPaymentEscrow.Resolved(
            id, terms.intentId, payer, IPaymentEscrow.Resolution.CONCEDED, 10_000, AMOUNT, 0, 0, 0
        );
        done(merchant, call);
        hasState(id, IPaymentEscrow.Status.RESOLVED, 0);
        eq(usdc.balanceOf(payer) - before, AMOUNT, "payer");
    }

    function test_timeResolvesByTheSignedShare() public {
        vm.warp(START + 9);
        done(payer, disputeCall());
        uint256 from = START + 9 + terms.disputeTimeout;
        bytes memory call = abi.encodeCall(escrow.resolveByTimeout, (terms));
        vm.warp(from - 1);
        refused(
            stranger, call, abi.encodeWithSelector(IPaymentEscrow.DisputeTimeoutNotOver.selector, from - 1, from)
        );
        vm.warp(from);
        uint128 back = uint128(uint256(AMOUNT) * 4_000 / 10_000);
        uint128 fee = uint128(feeOf(AMOUNT - back));
        expectEvent();
        emit IPaymentEscrow.Resolved(
            id,
            terms.intentId,
            payer,
            IPaymentEscrow.Resolution.TIMEOUT,
            4_000,
            back,
            AMOUNT - back - fee,
            fee,
            0
        );
        done(stranger, call);
        hasState(id, IPaymentEscrow.Status.RESOLVED, 0);
        eq(usdc.balanceOf(address(escrow)), 0, "escrow");
    }

    function test_timeResolvesNothingThatIsNotDisputed() public {
        vm.warp(START + 400 days);
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.NotDisputed.selector, id);
        refused(stranger, abi.encodeCall(escrow.resolveByTimeout, (terms)), failure);
    }

    function test_refundsGoOnInADisputeAndAFullOneEndsIt() public {
        done(payer, disputeCall());
        done(operator, abi.encodeCall(escrow.refund, (terms, 100, AMOUNT)));
        (,,, uint40 disputedAt) = escrow.stateOf(id);
        eq(disputedAt, START, "still disputed");
        done(merchant, abi.encodeCall(escrow.refund, (terms, AMOUNT - 100, AMOUNT - 100)));
        hasState(id, IPaymentEscrow.Status.REFUNDED, 0);
        refused(
            arbiter,
            abi.encodeCall(escrow.resolve, (terms, 0)),
            wrongStatus(id, IPaymentEscrow.Status.REFUNDED, IPaymentEscrow.Status.CAPTURED)
        );
    }

    function testFuzz_everySplitAddsUp(uint16 payerBps, uint16 feeBps, uint128 amount) public {
        terms = newTerms();
        terms.amount = uint128(bound(amount, 1, 1e14));
        terms.feeBps = uint16(bound(feeBps, 0, 1_000));
        payerBps = uint16(bound(payerBps, 0, 10_000));
        id = open(terms);
        done(payer, disputeCall());
        uint256 before = usdc.balanceOf(payer);
        done(arbiter, abi.encodeCall(escrow.resolve, (terms, payerBps)));
        uint256 back = usdc.balanceOf(payer) - before;
        uint256 net = usdc.balanceOf(merchant);
        uint256 fee = usdc.balanceOf(feeRecipient);
        eq(back + net + fee, terms.amount, "sum");
        eq(back, uint256(terms.amount) * payerBps / 10_000, "payer");
        eq(fee, (terms.amount - back) * terms.feeBps / 10_000, "fee");
    }

    function disputeCall() private view returns (bytes memory) {
        return abi.encodeCall(escrow.dispute, (terms));
    }

    function disputeDigest() private view returns (bytes32) {
        return digestOf(keccak256(abi.encode(keccak256("Dispute(bytes32 id)"), escrow.idOf(terms))));
    }

    function relayCall(bytes memory signature) private view returns (bytes memory) {
        return abi.encodeCall(escrow.disputeWithSignature, (terms, signature));
    }
}
