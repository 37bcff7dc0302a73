// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {PaymentEscrow} from "../PaymentEscrow.sol";
import {SmartAccount} from "./Accounts.sol";
import {Consents} from "./Consents.sol";

/// @notice A chain that changes its id, and two chains with the same payment: ids stay, signatures do not.
contract ChainIdTest is Consents {
    uint256 private constant HOME = 31_337;
    uint256 private constant AFTERWARDS = 31_338;

    function test_aHoldGoesOnUnderANewChainId() public {
        for (uint256 way = 0; way < 3; way++) {
            vm.chainId(HOME);
            IPaymentEscrow.PaymentTerms memory terms = newHold();
            bytes32 id = open(terms);
            vm.chainId(AFTERWARDS);
            eq(escrow.idOf(terms), id, "id");
            hasState(id, IPaymentEscrow.Status.AUTHORIZED, AMOUNT);
            uint256 before = usdc.balanceOf(payer);
            if (way == 0) {
                done(operator, abi.encodeCall(escrow.capture, (terms, 3, AMOUNT)));
                hasState(id, IPaymentEscrow.Status.CAPTURED, 3);
                eq(usdc.balanceOf(payer) - before, AMOUNT - 3, "returned");
                continue;
            }
            if (way == 1) done(merchant, abi.encodeCall(escrow.void, (terms)));
            if (way == 2) {
                vm.warp(terms.captureBy + 1);
                done(stranger, abi.encodeCall(escrow.reclaim, (terms)));
            }
            eq(usdc.balanceOf(payer) - before, AMOUNT, "returned");
        }
    }

    function test_aCapturedPaymentGoesOnUnderANewChainId() public {
        IPaymentEscrow.PaymentTerms memory refunded = newTerms();
        IPaymentEscrow.PaymentTerms memory settled = newTerms();
        bytes32 refundedId = open(refunded);
        bytes32 settledId = open(settled);
        vm.chainId(AFTERWARDS);
        done(operator, abi.encodeCall(escrow.refund, (refunded, AMOUNT, AMOUNT)));
        hasState(refundedId, IPaymentEscrow.Status.REFUNDED, 0);
        vm.warp(START + settled.timelock);
        done(stranger, abi.encodeCall(escrow.settle, (settled)));
        hasState(settledId, IPaymentEscrow.Status.SETTLED, 0);
        eq(usdc.balanceOf(merchant), AMOUNT - feeOf(AMOUNT), "merchant");
        eq(usdc.balanceOf(address(escrow)), 0, "escrow");
    }

    function test_aDisputeGoesOnUnderANewChainId() public {
        for (uint256 way = 0; way < 3; way++) {
            vm.chainId(HOME);
            IPaymentEscrow.PaymentTerms memory terms = newTerms();
            bytes32 id = open(terms);
            if (way == 0) done(payer, abi.encodeCall(escrow.dispute, (terms)));
            vm.chainId(AFTERWARDS);
            if (way > 0) done(payer, abi.encodeCall(escrow.dispute, (terms)));
            if (way == 0) done(arbiter, abi.encodeCall(escrow.resolve, (terms, 5_000)));
            if (way == 1) done(merchant, abi.encodeCall(escrow.concede, (terms)));
            if (way == 2) {
                vm.warp(block.timestamp + terms.disputeTimeout);
                done(stranger, abi.encodeCall(escrow.resolveByTimeout, (terms)));
            }
            hasState(id, IPaymentEscrow.Status.RESOLVED, 0);
        }
        eq(usdc.balanceOf(address(escrow)), 0, "escrow");
    }

    function test_aCreditIsPaidUnderANewChainId() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        open(terms);
        usdc.blacklist(merchant);
        usdc.blacklist(feeRecipient);
        vm.warp(START + terms.timelock);
        done(stranger, abi.encodeCall(escrow.settle, (terms)));
        usdc.unBlacklist(merchant);
        usdc.unBlacklist(feeRecipient);
        vm.chainId(AFTERWARDS);
        done(stranger, abi.encodeCall(escrow.claimFor, (merchant, address(usdc))));
        done(feeRecipient, abi.encodeCall(escrow.claim, (address(usdc), feeRecipient)));
        eq(usdc.balanceOf(address(escrow)), 0, "escrow");
    }

    function test_aPaymentIsNotCollectedAgainUnderANewChainId() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes32 id = open(terms);
        vm.chainId(AFTERWARDS);
        bytes memory failure = wrongStatus(id, IPaymentEscrow.Status.CAPTURED, IPaymentEscrow.Status.NONE);
        refused(payer, authorizeCall(terms), failure);
    }

    function test_signaturesOnTermsAreForTheOldChainIdOnly() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes32 id = escrow.idOf(terms);
        bytes memory operators = signed(OPERATOR_KEY, terms);
        bytes memory payers = signed(PAYER_KEY, terms);
        vm.chainId(AFTERWARDS);
        bytes memory failure =
            abi.encodeWithSelector(IPaymentEscrow.InvalidOperatorSignature.selector, digestOf(id), operator);
        refused(payer, abi.encodeCall(escrow.authorize, (terms, operators)), failure);
        refused(stranger, abi.encodeCall(escrow.authorizeWithAllowance, (terms, operators, payers)), failure);
        refused(
            stranger, abi.encodeCall(escrow.authorizeWithPermit, (terms, operators, payers, START, 27, 0, 0)), failure
        );
        refused(stranger, abi.encodeCall(escrow.authorizeWithReceive, (terms, operators, START, payers)), failure);
        operators = signed(OPERATOR_KEY, terms);
        failure = abi.encodeWithSelector(IPaymentEscrow.InvalidPayerSignature.selector, digestOf(id), payer);
        refused(stranger, abi.encodeCall(escrow.authorizeWithAllowance, (terms, operators, payers)), failure);
        refused(
            stranger, abi.encodeCall(escrow.authorizeWithPermit, (terms, operators, payers, START, 27, 0, 0)), failure
        );
        payers = signed(PAYER_KEY, terms);
        done(stranger, abi.encodeCall(escrow.authorizeWithAllowance, (terms, operators, payers)));
        hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_anErc3009AuthorizationIsForTheOldChainIdOnly() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes32 id = escrow.idOf(terms);
        bytes memory receive_ = receiveSignature(id);
        vm.chainId(AFTERWARDS);
        bytes memory operators = signed(OPERATOR_KEY, terms);
        bytes memory call = abi.encodeCall(escrow.authorizeWithReceive, (terms, operators, START + 1, receive_));
        refused(stranger, call, abi.encodeWithSignature("InvalidSignature(address)", payer));
        call = abi.encodeCall(escrow.authorizeWithReceive, (terms, operators, START + 1, receiveSignature(id)));
        done(stranger, call);
        hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT);
        require(usdc.authorizationState(payer, id), "the nonce is the id");
    }

    function test_aDisputesSignatureIsForTheOldChainIdOnly() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes32 structHash = keccak256(abi.encode(keccak256("Dispute(bytes32 id)"), open(terms)));
        bytes memory signature = sign(PAYER_KEY, digestOf(structHash));
        vm.chainId(AFTERWARDS);
        bytes memory failure =
            abi.encodeWithSelector(IPaymentEscrow.InvalidPayerSignature.selector, digestOf(structHash), payer);
        refused(stranger, abi.encodeCall(escrow.disputeWithSignature, (terms, signature)), failure);
        signature = sign(PAYER_KEY, digestOf(structHash));
        done(stranger, abi.encodeCall(escrow.disputeWithSignature, (terms, signature)));
    }

    function test_aConsentKeepsItsPeriodsAndNeedsNewSignatures() public {
        IPaymentEscrow.RecurringConsent memory consent = consentFor(newTerms());
        bytes32 consentId = escrow.consentIdOf(consent);
        IPaymentEscrow.PaymentTerms memory first = chargeTerms(consent, 0);
        done(stranger, chargeCall(consent, 0, first));
        vm.warp(START + 1_000);
        IPaymentEscrow.PaymentTerms memory second = chargeTerms(consent, 1);
        bytes memory oldConsent = sign(PAYER_KEY, digestOf(consentId));
        bytes memory oldCharge = sign(OPERATOR_KEY, chargeDigest(consentId, 1, second));
        vm.chainId(AFTERWARDS);
        bytes32 digest = chargeDigest(consentId, 1, second);
        bytes memory newCharge = sign(OPERATOR_KEY, digest);
        refused(
            stranger,
            abi.encodeCall(escrow.charge, (consent, 1, second, oldCharge, oldConsent)),
            abi.encodeWithSelector(IPaymentEscrow.InvalidOperatorSignature.selector, digest, operator)
        );
        refused(
            stranger,
            abi.encodeCall(escrow.charge, (consent, 1, second, newCharge, oldConsent)),
            abi.encodeWithSelector(IPaymentEscrow.InvalidPayerSignature.selector, digestOf(consentId), payer)
        );
        eq(escrow.consentIdOf(consent), consentId, "consentId");
        refused(
            stranger,
            chargeCall(consent, 0, first),
            abi.encodeWithSelector(IPaymentEscrow.PeriodAlreadyCharged.selector, 0, 1)
        );
        done(stranger, chargeCall(consent, 1, second));
        done(payer, abi.encodeCall(escrow.revoke, (consent)));
        (bool revoked, uint32 nextPeriod) = escrow.consentState(consentId);
        require(revoked, "not revoked");
        eq(nextPeriod, 2, "nextPeriod");
    }

    function test_theSameTermsOnTwoChainsAreTwoPaymentsOfOneId() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        PaymentEscrow elsewhere = new PaymentEscrow();
        bytes memory code = address(escrow).code;
        vm.etch(address(elsewhere), code);
        bytes32 id = open(terms);
        // The other chain: its own state behind the same code, here at another address.
        vm.chainId(AFTERWARDS);
        eq(elsewhere.idOf(terms), id, "id");
        (IPaymentEscrow.Status status,,,) = elsewhere.stateOf(id);
        eq(uint8(status), uint8(IPaymentEscrow.Status.NONE), "status");
        bytes32 digest = elsewhere.digestOf(id);
        eq(digest, keccak256(abi.encodePacked(hex"1901", domainSeparator(address(elsewhere), AFTERWARDS), id)), "digest");
        vm.prank(payer);
        usdc.approve(address(elsewhere), AMOUNT);
        vm.prank(payer);
        elsewhere.authorize(terms, sign(OPERATOR_KEY, digest));
        (status,,,) = elsewhere.stateOf(id);
        eq(uint8(status), uint8(IPaymentEscrow.Status.CAPTURED), "status");
        vm.prank(operator);
        elsewhere.refund(terms, AMOUNT, AMOUNT);
        hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_theDomainIsTheLiveOne() public {
        vm.chainId(AFTERWARDS);
        (,,, uint256 chainId,,,) = escrow.eip712Domain();
        eq(chainId, AFTERWARDS, "chain");
        bytes32 hash = keccak256("anything");
        eq(escrow.digestOf(hash), digestOf(hash), "digest");
        SmartAccount account = new SmartAccount();
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.operator = address(account);
        account.accept(digestOf(escrow.idOf(terms)));
        done(payer, abi.encodeCall(escrow.authorize, (terms, "")));
    }

    function receiveSignature(bytes32 id) private view returns (bytes memory) {
        bytes32 typeHash = usdc.RECEIVE_WITH_AUTHORIZATION_TYPEHASH();
        bytes32 hash = keccak256(abi.encode(typeHash, payer, address(escrow), uint256(AMOUNT), 0, START + 1, id));
        return sign(PAYER_KEY, keccak256(abi.encodePacked(hex"1901", usdc.DOMAIN_SEPARATOR(), hash)));
    }
}
