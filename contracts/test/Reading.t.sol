// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {Consents} from "./Consents.sol";
import {ReadingToken} from "./tokens/ReadingToken.sol";

/// @notice What others read of a payment while its token is being asked to pay: nothing, on every way in.
contract ReadingTest is Consents {
    ReadingToken private token;
    bytes32 private other;

    function setUp() public override {
        super.setUp();
        token = new ReadingToken(escrow);
        token.mint(payer, 1e15);
        other = open(newTerms());
    }

    function test_aPaymentIsThereOnceItsTokenHasPaid() public {
        for (uint256 way = 0; way < 5; way++) {
            IPaymentEscrow.PaymentTerms memory terms = termsInToken();
            collect(terms, payer, callOf(way, terms));
            eq(token.reads(), way == 2 ? 2 : 1, "reads");
        }
    }

    function test_aRenewalIsThereOnceItsTokenHasPaid() public {
        IPaymentEscrow.RecurringConsent memory consent = consentFor(termsInToken());
        IPaymentEscrow.PaymentTerms memory terms = chargeTerms(consent, 0);
        collect(terms, stranger, chargeCall(consent, 0, terms));
        eq(token.reads(), 1, "reads");
    }

    function test_aHoldIsThereOnceItsTokenHasPaid() public {
        IPaymentEscrow.PaymentTerms memory terms = termsInToken();
        terms.captureOnAuthorize = false;
        token.watch(escrow.idOf(terms), other);
        hasState(open(terms), IPaymentEscrow.Status.AUTHORIZED, AMOUNT);
        eq(token.reads(), 1, "reads");
    }

    function test_coinIsThereAtOnce() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(0);
        hasState(open(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_onlyThePaymentThatIsBeingCollectedIsHidden() public {
        // Two payments in one transaction: each is hidden while it is collected, and no longer.
        IPaymentEscrow.PaymentTerms memory first = termsInToken();
        IPaymentEscrow.PaymentTerms memory second = termsInToken();
        collect(first, payer, callOf(0, first));
        token.watch(escrow.idOf(second), escrow.idOf(first));
        done(payer, callOf(0, second));
        hasState(escrow.idOf(first), IPaymentEscrow.Status.CAPTURED, AMOUNT);
        hasState(escrow.idOf(second), IPaymentEscrow.Status.CAPTURED, AMOUNT);
        eq(token.reads(), 1, "reads");
    }

    function collect(IPaymentEscrow.PaymentTerms memory terms, address caller, bytes memory call) private {
        bytes32 id = escrow.idOf(terms);
        token.watch(id, other);
        done(caller, call);
        hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    /// @dev Directly, by allowance, by permit, and by ERC-3009 with a key's signature and with another one.
    function callOf(uint256 way, IPaymentEscrow.PaymentTerms memory terms) private view returns (bytes memory) {
        bytes memory operators = signed(OPERATOR_KEY, terms);
        bytes memory payers = signed(PAYER_KEY, terms);
        if (way == 0) return abi.encodeCall(escrow.authorize, (terms, operators));
        if (way == 1) return abi.encodeCall(escrow.authorizeWithAllowance, (terms, operators, payers));
        if (way == 2) {
            return abi.encodeCall(escrow.authorizeWithPermit, (terms, operators, payers, START, 27, 0, 0));
        }
        bytes memory receive_ = way == 3 ? payers : bytes(hex"1234");
        return abi.encodeCall(escrow.authorizeWithReceive, (terms, operators, START + 1, receive_));
    }

    function termsInToken() private returns (IPaymentEscrow.PaymentTerms memory terms) {
        terms = newTerms();
        terms.token = address(token);
    }
}
