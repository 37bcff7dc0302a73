// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {PaymentEscrow} from "../PaymentEscrow.sol";
import {SmartAccount} from "./Accounts.sol";
import {Consents} from "./Consents.sol";

/// @notice Renewals: what the payer signed once, at most one capped charge a period.
contract ChargeTest is Consents {
    IPaymentEscrow.RecurringConsent private consent;

    function setUp() public override {
        super.setUp();
        consent.subscriptionId = keccak256("subscription");
        consent.payer = payer;
        consent.merchant = merchant;
        consent.token = address(usdc);
        consent.capPerPeriod = AMOUNT;
        consent.start = uint40(START);
        consent.unit = 0;
        consent.count = 1_000;
        consent.feeBps = 250;
        consent.feeRecipient = feeRecipient;
        consent.operator = operator;
        consent.arbiter = arbiter;
        consent.timelock = 7 days;
        consent.disputeWindow = 3 days;
        consent.disputeTimeout = 30 days;
        consent.timeoutPayerBps = 4_000;
    }

    function test_theConsentsHashIsTheOneOfEip712() public view {
        bytes32 typeHash = keccak256(
            "RecurringConsent(bytes32 subscriptionId,address payer,address merchant,address token,uint128 capPerPeriod,uint40 start,uint8 unit,uint32 count,uint40 end,uint16 feeBps,address feeRecipient,address operator,address arbiter,uint32 timelock,uint32 disputeWindow,uint32 disputeTimeout,uint16 timeoutPayerBps)"
        );
        bytes32 consentId = escrow.consentIdOf(consent);
        eq(consentId, keccak256(abi.encode(typeHash, consent)), "consentId");
        eq(escrow.chargeIntentId(consentId, 7), keccak256(abi.encode(consentId, uint32(7))), "intentId");
    }

    function test_aChargeIsACapturedPaymentOfItsOwn() public {
        IPaymentEscrow.PaymentTerms memory terms = termsOf(0);
        bytes32 id = escrow.idOf(terms);
        bytes32 consentId = escrow.consentIdOf(consent);
        bytes memory call = chargeCall(0, terms);
        expectEvent();
        emit IPaymentEscrow.Authorized(id, terms.intentId, payer, terms, AMOUNT);
        expectEvent();
        emit IPaymentEscrow.Captured(id, terms.intentId, payer, AMOUNT, 0, AMOUNT);
        expectEvent();
        emit IPaymentEscrow.Charged(consentId, id, payer, consent.subscriptionId, 0);
        done(stranger, call);
        hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT);
        eq(usdc.balanceOf(address(escrow)), AMOUNT, "escrow");
        (bool revoked, uint32 nextPeriod) = escrow.consentState(consentId);
        require(!revoked, "revoked");
        eq(nextPeriod, 1, "nextPeriod");
    }

    function test_aPeriodIsChargedOnceEvenIfRefunded() public {
        IPaymentEscrow.PaymentTerms memory terms = termsOf(0);
        done(stranger, chargeCall(0, terms));
        done(operator, abi.encodeCall(escrow.refund, (terms, AMOUNT, AMOUNT)));
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.PeriodAlreadyCharged.selector, 0, 1);
        refused(stranger, chargeCall(0, terms), failure);
        terms.quoteHash = bytes32("another payment");
        refused(stranger, chargeCall(0, terms), failure);
    }

    function test_skippedPeriodsAreNotChargedInArrears() public {
        vm.warp(START + 3_000);
        done(stranger, chargeCall(3, termsOf(3)));
        refused(
            stranger,
            chargeCall(2, termsOf(2)),
            abi.encodeWithSelector(IPaymentEscrow.PeriodAlreadyCharged.selector, 2, 4)
        );
    }

    function test_aPeriodIsOpenFromItsStartUntilTheOneAfterTheNextStarts() public {
        vm.warp(START + 2_000);
        refused(
            stranger,
            chargeCall(3, termsOf(3)),
            abi.encodeWithSelector(IPaymentEscrow.PeriodNotOpen.selector, START + 2_000, START + 3_000, START + 5_000)
        );
        vm.warp(START + 2_999);
        refused(
            stranger,
            chargeCall(3, termsOf(3)),
            abi.encodeWithSelector(IPaymentEscrow.PeriodNotOpen.selector, START + 2_999, START + 3_000, START + 5_000)
        );
        refused(
            stranger,
            chargeCall(0, termsOf(0)),
            abi.encodeWithSelector(IPaymentEscrow.PeriodNotOpen.selector, START + 2_999, START, START + 2_000)
        );
        vm.warp(START + 3_000);
        done(stranger, chargeCall(3, termsOf(3)));
    }

    function test_theLastSecondOfALatePeriod() public {
        vm.warp(START + 2_000);
        refused(
            stranger,
            chargeCall(0, termsOf(0)),
            abi.encodeWithSelector(IPaymentEscrow.PeriodNotOpen.selector, START + 2_000, START, START + 2_000)
        );
        vm.warp(START + 1_999);
        done(stranger, chargeCall(0, termsOf(0)));
        done(stranger, chargeCall(1, termsOf(1)));
    }

    function test_noChargeBeforeTheStart() public {
        vm.warp(START - 1);
        refused(
            stranger,
            chargeCall(0, termsOf(0)),
            abi.encodeWithSelector(IPaymentEscrow.PeriodNotOpen.selector, START - 1, START, START + 2_000)
        );
    }

    function test_noChargeFromTheEndOn() public {
        consent.end = uint40(START + 1_500);
        vm.warp(START + 1_500);
        refused(
            stranger,
            chargeCall(1, termsOf(1)),
            abi.encodeWithSelector(IPaymentEscrow.ConsentOver.selector, START + 1_500, START + 1_500)
        );
        vm.warp(START + 1_499);
        done(stranger, chargeCall(1, termsOf(1)));
    }

    function test_theCapHolds() public {
        IPaymentEscrow.PaymentTerms memory terms = termsOf(0);
        terms.amount = AMOUNT + 1;
        bytes memory failure =
            abi.encodeWithSelector(IPaymentEscrow.AmountAboveCap.selector, AMOUNT + 1, AMOUNT);
        refused(stranger, chargeCall(0, terms), failure);
        terms.amount = 1;
        done(stranger, chargeCall(0, terms));
    }

    function test_everyFieldIsTheOneThePayerSigned() public {
        bytes32 consentId = escrow.consentIdOf(consent);
        for (uint256 field = 0; field < 12; field++) {
            IPaymentEscrow.PaymentTerms memory terms = termsOf(0);
            if (field == 0) terms.payer = stranger;
            if (field == 1) terms.merchant = stranger;
            if (field == 2) terms.token = address(usdt);
            if (field == 3) terms.operator = stranger;
            if (field == 4) terms.arbiter = stranger;
            if (field == 5) terms.feeRecipient = stranger;
            if (field == 6) terms.feeBps = 251;
            if (field == 7) terms.timelock = 7 days + 1;
            if (field == 8) terms.disputeWindow = 3 days + 1;
            if (field == 9) terms.disputeTimeout = 30 days + 1;
            if (field == 10) terms.timeoutPayerBps = 4_001;
            if (field == 11) terms.captureOnAuthorize = false;
            bytes memory failure = abi.encodeWithSelector(
                IPaymentEscrow.TermsDifferFromConsent.selector, consentId, escrow.idOf(terms)
            );
            refused(stranger, chargeCall(0, terms), failure);
        }
    }

    function test_theIntentIdIsTheOneOfThePeriod() public {
        IPaymentEscrow.PaymentTerms memory terms = termsOf(1);
        bytes32 required = escrow.chargeIntentId(escrow.consentIdOf(consent), 0);
        refused(
            stranger,
            chargeCall(0, terms),
            abi.encodeWithSelector(IPaymentEscrow.WrongIntentId.selector, terms.intentId, required)
        );
    }

    function test_theOperatorSignsConsentPeriodAndPaymentTogether() public {
        IPaymentEscrow.PaymentTerms memory terms = termsOf(0);
        bytes32 consentId = escrow.consentIdOf(consent);
        bytes32 digest = chargeDigest(consentId, 0, terms);
        bytes memory failure =
            abi.encodeWithSelector(IPaymentEscrow.InvalidOperatorSignature.selector, digest, operator);
        bytes memory consentSignature = sign(PAYER_KEY, digestOf(consentId));
        bytes memory wrong = sign(OPERATOR_KEY, chargeDigest(consentId, 1, terms));
        refused(stranger, abi.encodeCall(escrow.charge, (consent, 0, terms, wrong, consentSignature)), failure);
        wrong = signed(OPERATOR_KEY, terms);
        refused(stranger, abi.encodeCall(escrow.charge, (consent, 0, terms, wrong, consentSignature)), failure);
        wrong = sign(STRANGER_KEY, digest);
        refused(stranger, abi.encodeCall(escrow.charge, (consent, 0, terms, wrong, consentSignature)), failure);
    }

    function test_thePayerSignedTheConsent() public {
        IPaymentEscrow.PaymentTerms memory terms = termsOf(0);
        bytes32 consentId = escrow.consentIdOf(consent);
        bytes memory operatorSignature = sign(OPERATOR_KEY, chargeDigest(consentId, 0, terms));
        bytes memory wrong = sign(OPERATOR_KEY, digestOf(consentId));
        bytes memory failure =
            abi.encodeWithSelector(IPaymentEscrow.InvalidPayerSignature.selector, digestOf(consentId), payer);
        refused(operator, abi.encodeCall(escrow.charge, (consent, 0, terms, operatorSignature, wrong)), failure);
    }

    function test_theNativeCoinCannotBeCharged() public {
        consent.token = address(0);
        IPaymentEscrow.PaymentTerms memory terms = termsOf(0);
        bytes memory failure =
            abi.encodeWithSelector(IPaymentEscrow.NativeCoinNotPullable.selector, escrow.idOf(terms));
        refused(stranger, chargeCall(0, terms), failure);
    }

    function test_theTermsBoundsHoldForChargesToo() public {
        consent.feeBps = 1_001;
        refused(
            stranger,
            chargeCall(0, termsOf(0)),
            abi.encodeWithSelector(IPaymentEscrow.FeeAboveMax.selector, 1_001, 1_000)
        );
    }

    function test_aContractMayConsent() public {
        SmartAccount account = new SmartAccount();
        usdc.mint(address(account), AMOUNT);
        account.execute(address(usdc), 0, abi.encodeCall(usdc.approve, (address(escrow), AMOUNT)));
        consent.payer = address(account);
        account.accept(digestOf(escrow.consentIdOf(consent)));
        done(stranger, chargeCall(0, termsOf(0)));
    }

    function test_thePayerRevokes() public {
        bytes32 consentId = escrow.consentIdOf(consent);
        done(stranger, chargeCall(0, termsOf(0)));
        bytes memory call = abi.encodeCall(escrow.revoke, (consent));
        refused(operator, call, abi.encodeWithSelector(IPaymentEscrow.NotPayer.selector, operator, payer));
        expectEvent();
        emit IPaymentEscrow.Revoked(consentId, consent.subscriptionId, payer);
        done(payer, call);
        (bool revoked, uint32 nextPeriod) = escrow.consentState(consentId);
        require(revoked, "not revoked");
        eq(nextPeriod, 1, "nextPeriod");
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.ConsentAlreadyRevoked.selector, consentId);
        vm.warp(START + 1_000);
        refused(stranger, chargeCall(1, termsOf(1)), failure);
        refused(payer, call, failure);
    }

    function test_aConsentIsForOneChainAndOneContract() public {
        bytes memory call = chargeCall(0, termsOf(0));
        vm.chainId(block.chainid + 1);
        refusedAnyhow(stranger, call);
        vm.chainId(31_337);
        PaymentEscrow other = new PaymentEscrow();
        vm.prank(stranger);
        (bool ok,) = address(other).call(call);
        require(!ok, "replayed");
    }

    function test_periodsOfSecondsAndMonths() public {
        eq(escrow.periodStart(consent, 0), START, "0");
        eq(escrow.periodStart(consent, 5), START + 5_000, "5");
        consent.unit = 1;
        consent.count = 3;
        consent.start = 1_706_704_496; // 2024-01-31T12:34:56Z
        eq(escrow.periodStart(consent, 1), 1_714_480_496, "2024-04-30");
        eq(escrow.periodStart(consent, 4), 1_738_326_896, "2025-01-31");
    }

    function test_monthsAreChargedByTheCalendar() public {
        consent.unit = 1;
        consent.count = 1;
        consent.start = 1_706_704_496; // 2024-01-31T12:34:56Z
        vm.warp(1_709_210_096 - 1); // a second before 2024-02-29T12:34:56Z
        refused(
            stranger,
            chargeCall(1, termsOf(1)),
            abi.encodeWithSelector(
                IPaymentEscrow.PeriodNotOpen.selector, 1_709_210_095, 1_709_210_096, 1_714_480_496
            )
        );
        vm.warp(1_709_210_096);
        done(stranger, chargeCall(1, termsOf(1)));
    }

    function test_periodsThatAreNoneAreRefused() public {
        consent.count = 0;
        bytes memory call = abi.encodeCall(escrow.periodStart, (consent, 1));
        refused(stranger, call, abi.encodeWithSelector(IPaymentEscrow.InvalidPeriodLength.selector, 0, 0));
        refused(
            stranger,
            chargeCall(0, termsOf(0)),
            abi.encodeWithSelector(IPaymentEscrow.InvalidPeriodLength.selector, 0, 0)
        );
        consent.count = 1;
        consent.unit = 2;
        call = abi.encodeCall(escrow.periodStart, (consent, 1));
        refused(stranger, call, abi.encodeWithSelector(IPaymentEscrow.InvalidPeriodLength.selector, 2, 1));
    }

    function test_periodsBeyondTimeAreRefused() public {
        uint256 latest = type(uint40).max;
        consent.start = uint40(latest - 1_000);
        eq(escrow.periodStart(consent, 1), latest, "the last second");
        bytes memory call = abi.encodeCall(escrow.periodStart, (consent, 2));
        refused(
            stranger, call, abi.encodeWithSelector(IPaymentEscrow.PeriodOutOfRange.selector, latest + 1_000, latest)
        );
        consent.unit = 1;
        consent.count = type(uint32).max;
        call = abi.encodeCall(escrow.periodStart, (consent, type(uint32).max));
        vm.prank(stranger);
        (bool ok, bytes memory answer) = address(escrow).call(call);
        require(!ok && bytes4(answer) == IPaymentEscrow.PeriodOutOfRange.selector, "not out of range");
    }

    function test_theVeryLastPeriodCannotBeCharged() public {
        consent.start = uint40(START);
        consent.count = 1;
        vm.warp(START + uint256(type(uint32).max));
        refusedAnyhow(stranger, chargeCall(type(uint32).max, termsOf(type(uint32).max)));
    }

    function testFuzz_atMostOneChargeAPeriod(uint32[8] memory seconds_, uint32[8] memory periods) public {
        uint256 now_ = START;
        uint256 next;
        for (uint256 i = 0; i < 8; i++) {
            now_ += seconds_[i] % 2_500;
            vm.warp(now_);
            uint32 period = periods[i] % 12;
            uint256 open_ = START + uint256(period) * 1_000;
            bool allowed = period >= next && now_ >= open_ && now_ < open_ + 2_000;
            bytes memory call = chargeCall(period, termsOf(period));
            if (allowed) {
                done(stranger, call);
                next = period + 1;
            } else {
                refusedAnyhow(stranger, call);
            }
        }
    }

    function termsOf(uint32 period) private returns (IPaymentEscrow.PaymentTerms memory terms) {
        terms = newTerms();
        terms.intentId = escrow.chargeIntentId(escrow.consentIdOf(consent), period);
        terms.payer = consent.payer;
        terms.merchant = consent.merchant;
        terms.token = consent.token;
        terms.feeBps = consent.feeBps;
    }

    function chargeCall(uint32 period, IPaymentEscrow.PaymentTerms memory terms) private view returns (bytes memory) {
        return chargeCall(consent, period, terms);
    }
}
