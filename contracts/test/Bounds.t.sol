// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {SmartAccount} from "./Accounts.sol";
import {Base} from "./Base.sol";
import {ReentrantToken} from "./tokens/HostileTokens.sol";

/// @notice Every bound of the terms, on both sides.
contract BoundsTest is Base {
    IPaymentEscrow.PaymentTerms private terms;

    function setUp() public override {
        super.setUp();
        terms = newHold();
    }

    function test_thePartiesAreNotZero() public {
        terms.merchant = address(0);
        fails(abi.encodeWithSelector(IPaymentEscrow.ZeroParty.selector, payer, address(0), operator));
    }

    function test_theOperatorIsNotZeroBecauseNobodySignsForIt() public {
        terms.operator = address(0);
        bytes32 digest = digestOf(escrow.idOf(terms));
        bytes memory call = abi.encodeCall(escrow.authorize, (terms, signed(OPERATOR_KEY, terms)));
        refused(
            payer, call, abi.encodeWithSelector(IPaymentEscrow.InvalidOperatorSignature.selector, digest, address(0))
        );
        // Even code at the zero address that signs everything does not help.
        vm.etch(address(0), address(new SmartAccount()).code);
        SmartAccount(payable(address(0))).accept(digest);
        refused(payer, call, abi.encodeWithSelector(IPaymentEscrow.ZeroParty.selector, payer, merchant, address(0)));
    }

    function test_thePayerIsNotZeroWhateverTheTokenSays() public {
        ReentrantToken token = new ReentrantToken();
        token.mint(address(0), AMOUNT);
        terms.token = address(token);
        terms.payer = address(0);
        bytes memory call =
            abi.encodeCall(escrow.authorizeWithReceive, (terms, signed(OPERATOR_KEY, terms), START + 1, hex"00"));
        refused(
            stranger, call, abi.encodeWithSelector(IPaymentEscrow.ZeroParty.selector, address(0), merchant, operator)
        );
    }

    function test_theAmountIsNotZero() public {
        terms.amount = 0;
        fails(abi.encodeWithSelector(IPaymentEscrow.ZeroAmount.selector));
        terms.token = address(0);
        fails(abi.encodeWithSelector(IPaymentEscrow.ZeroAmount.selector));
        terms.amount = 1;
        works();
    }

    function test_theFeeIsAtMostTenPercent() public {
        terms.feeBps = 1_001;
        fails(abi.encodeWithSelector(IPaymentEscrow.FeeAboveMax.selector, 1_001, 1_000));
        terms.feeBps = 1_000;
        works();
    }

    function test_aFeeNeedsARecipient() public {
        terms.feeRecipient = address(0);
        terms.feeBps = 1;
        fails(abi.encodeWithSelector(IPaymentEscrow.FeeRecipientMissing.selector, 1));
        terms.feeBps = 0;
        works();
    }

    function test_authorizeByIsTheLastSecond() public {
        vm.warp(terms.authorizeBy + 1);
        fails(
            abi.encodeWithSelector(IPaymentEscrow.AuthorizeByPassed.selector, block.timestamp, terms.authorizeBy)
        );
        vm.warp(terms.authorizeBy);
        works();
    }

    function test_captureByIsNotBeforeAuthorizeBy() public {
        terms.captureBy = terms.authorizeBy - 1;
        fails(
            abi.encodeWithSelector(
                IPaymentEscrow.CaptureByBeforeAuthorizeBy.selector, terms.captureBy, terms.authorizeBy
            )
        );
        terms.captureBy = terms.authorizeBy;
        works();
    }

    function test_aHoldLastsAtMostNinetyDays() public {
        terms.captureBy = uint40(START + 90 days + 1);
        fails(
            abi.encodeWithSelector(IPaymentEscrow.CaptureByTooLate.selector, terms.captureBy, START + 90 days)
        );
        terms.captureBy = uint40(START + 90 days);
        works();
    }

    function test_theTimelockIsAtMost180Days() public {
        terms.timelock = 180 days + 1;
        fails(
            abi.encodeWithSelector(IPaymentEscrow.TimelockTooLong.selector, uint32(180 days + 1), uint32(180 days))
        );
        terms.timelock = 180 days;
        works();
    }

    function test_theDisputeWindowEndsWithinTheTimelock() public {
        terms.disputeWindow = terms.timelock + 1;
        fails(
            abi.encodeWithSelector(
                IPaymentEscrow.DisputeWindowAboveTimelock.selector, terms.disputeWindow, terms.timelock
            )
        );
        terms.disputeWindow = terms.timelock;
        works();
    }

    function test_theDisputeTimeoutIsBoundedBelow() public {
        terms.disputeTimeout = 7 days - 1;
        fails(timeoutFailure());
        terms.disputeTimeout = 7 days;
        works();
    }

    function test_theDisputeTimeoutIsBoundedAbove() public {
        terms.disputeTimeout = 90 days + 1;
        fails(timeoutFailure());
        terms.disputeTimeout = 90 days;
        works();
    }

    function test_anArbiterComesWithAWindow() public {
        terms.disputeWindow = 0;
        fails(abi.encodeWithSelector(IPaymentEscrow.ArbiterMismatch.selector, arbiter, 0));
        terms.arbiter = address(0);
        terms.disputeTimeout = 0;
        works();
    }

    function test_aWindowComesWithAnArbiter() public {
        terms.arbiter = address(0);
        fails(abi.encodeWithSelector(IPaymentEscrow.ArbiterMismatch.selector, address(0), terms.disputeWindow));
    }

    function test_theTimeoutShareIsAtMostTheWhole() public {
        terms.timeoutPayerBps = 10_001;
        fails(abi.encodeWithSelector(IPaymentEscrow.ShareAboveMax.selector, 10_001, 10_000));
        terms.timeoutPayerBps = 10_000;
        works();
    }

    function timeoutFailure() private view returns (bytes memory) {
        return abi.encodeWithSelector(
            IPaymentEscrow.DisputeTimeoutOutOfBounds.selector, terms.disputeTimeout, uint32(7 days), uint32(90 days)
        );
    }

    function fails(bytes memory failure) private {
        uint256 value = terms.token == address(0) ? terms.amount : 0;
        refusedWithValue(payer, value, authorizeCall(terms), failure);
    }

    function works() private {
        hasState(open(terms), IPaymentEscrow.Status.AUTHORIZED, terms.amount);
    }
}
