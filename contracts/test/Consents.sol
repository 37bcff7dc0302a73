// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {Base} from "./Base.sol";

/// @notice Consents and their charges, for tests of what holds for charges as for every other payment.
abstract contract Consents is Base {
    /// @dev A consent under which a payment like this one may be charged every thousand seconds from now on.
    function consentFor(IPaymentEscrow.PaymentTerms memory terms)
        internal
        view
        returns (IPaymentEscrow.RecurringConsent memory consent)
    {
        consent.subscriptionId = keccak256(abi.encode("subscription", terms.intentId));
        consent.payer = terms.payer;
        consent.merchant = terms.merchant;
        consent.token = terms.token;
        consent.capPerPeriod = terms.amount;
        consent.start = uint40(block.timestamp);
        consent.count = 1_000;
        consent.feeBps = terms.feeBps;
        consent.feeRecipient = terms.feeRecipient;
        consent.operator = terms.operator;
        consent.arbiter = terms.arbiter;
        consent.timelock = terms.timelock;
        consent.disputeWindow = terms.disputeWindow;
        consent.disputeTimeout = terms.disputeTimeout;
        consent.timeoutPayerBps = terms.timeoutPayerBps;
    }

    /// @dev The terms of a charge of the whole cap.
    function chargeTerms(IPaymentEscrow.RecurringConsent memory consent, uint32 period)
        internal
        returns (IPaymentEscrow.PaymentTerms memory terms)
    {
        terms = newTerms();
        terms.intentId = escrow.chargeIntentId(escrow.consentIdOf(consent), period);
        terms.payer = consent.payer;
        terms.merchant = consent.merchant;
        terms.token = consent.token;
        terms.amount = consent.capPerPeriod;
        terms.feeBps = consent.feeBps;
        terms.feeRecipient = consent.feeRecipient;
        terms.operator = consent.operator;
        terms.arbiter = consent.arbiter;
    }

    function chargeDigest(bytes32 consentId, uint32 period, IPaymentEscrow.PaymentTerms memory terms)
        internal
        view
        returns (bytes32)
    {
        bytes32 typeHash = keccak256("Charge(bytes32 consentId,uint32 period,bytes32 id)");
        return digestOf(keccak256(abi.encode(typeHash, consentId, period, escrow.idOf(terms))));
    }

    function chargeCall(
        IPaymentEscrow.RecurringConsent memory consent,
        uint32 period,
        IPaymentEscrow.PaymentTerms memory terms
    ) internal view returns (bytes memory) {
        bytes32 consentId = escrow.consentIdOf(consent);
        bytes memory operatorSignature = sign(OPERATOR_KEY, chargeDigest(consentId, period, terms));
        bytes memory consentSignature = sign(PAYER_KEY, digestOf(consentId));
        return abi.encodeCall(escrow.charge, (consent, period, terms, operatorSignature, consentSignature));
    }
}
