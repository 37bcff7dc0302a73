// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {SmartAccount} from "./Accounts.sol";
import {Base} from "./Base.sol";
import {FallbackToken, FeeToken, ReentrantToken} from "./tokens/HostileTokens.sol";

/// @notice Payments that anybody relays: by allowance, by permit, by ERC-3009.
contract RelayedTest is Base {
    uint256 private constant LATER = START + 1 hours;

    function test_anAllowanceAndBothSignaturesArePulled() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        done(stranger, allowanceCall(terms, PAYER_KEY));
        hasState(escrow.idOf(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
        eq(usdc.balanceOf(address(escrow)), AMOUNT, "escrow");
    }

    function test_anAllowanceAndTheOperatorAloneMoveNothing() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes memory failure = invalidPayer(escrow.idOf(terms), payer);
        refused(operator, allowanceCall(terms, OPERATOR_KEY), failure);
        refused(operator, abi.encodeCall(escrow.authorizeWithAllowance, (terms, signed(OPERATOR_KEY, terms), "")), failure);
        refused(operator, permitCall(terms, OPERATOR_KEY, AMOUNT, LATER), failure);
        bytes memory direct = authorizeCall(terms);
        refused(operator, direct, abi.encodeWithSelector(IPaymentEscrow.NotPayer.selector, operator, payer));
    }

    function test_thePayerAloneMovesNothingEither() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes memory own = signed(PAYER_KEY, terms);
        bytes memory failure = abi.encodeWithSelector(
            IPaymentEscrow.InvalidOperatorSignature.selector, digestOf(escrow.idOf(terms)), operator
        );
        refused(payer, abi.encodeCall(escrow.authorizeWithAllowance, (terms, own, own)), failure);
        refused(payer, abi.encodeCall(escrow.authorizeWithReceive, (terms, own, LATER, receiveSignature(terms))), failure);
    }

    function test_thePayerMayBeAContract() public {
        SmartAccount account = new SmartAccount();
        usdc.mint(address(account), AMOUNT);
        account.execute(address(usdc), 0, abi.encodeCall(usdc.approve, (address(escrow), AMOUNT)));
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.payer = address(account);
        bytes32 id = escrow.idOf(terms);
        bytes memory call = abi.encodeCall(escrow.authorizeWithAllowance, (terms, signed(OPERATOR_KEY, terms), "any"));
        refused(stranger, call, invalidPayer(id, address(account)));
        account.accept(digestOf(id));
        done(stranger, call);
        hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_aDelegatedPayerStillSignsWithItsKey() public {
        vm.etch(payer, abi.encodePacked(hex"ef0100", address(new SmartAccount())));
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        done(stranger, allowanceCall(terms, PAYER_KEY));
        hasState(escrow.idOf(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_oneOwnersTwoAccountsAreNotConfused() public {
        SmartAccount first = new SmartAccount();
        SmartAccount second = new SmartAccount();
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.payer = address(first);
        bytes32 id = escrow.idOf(terms);
        first.accept(digestOf(id));
        second.accept(digestOf(id));
        terms.payer = address(second);
        bytes memory call = abi.encodeCall(escrow.authorizeWithAllowance, (terms, signed(OPERATOR_KEY, terms), ""));
        refused(stranger, call, invalidPayer(escrow.idOf(terms), address(second)));
    }

    function test_aPermitIsUsedAndOnlyForTheAmount() public {
        dropAllowance();
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        done(stranger, permitCall(terms, PAYER_KEY, AMOUNT, LATER));
        hasState(escrow.idOf(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
        eq(usdc.allowance(payer, address(escrow)), 0, "allowance");
    }

    function test_aFrontRunPermitHarmsNobody() public {
        dropAllowance();
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes memory call = permitCall(terms, PAYER_KEY, AMOUNT, LATER);
        (uint8 v, bytes32 r, bytes32 s) = permitSignature(PAYER_KEY, AMOUNT, LATER);
        vm.prank(stranger);
        usdc.permit(payer, address(escrow), AMOUNT, LATER, v, r, s);
        done(stranger, call);
        hasState(escrow.idOf(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_aFailedPermitIsNoFaultWhileTheAllowanceCovers() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        done(stranger, permitCall(terms, PAYER_KEY, AMOUNT, START - 1));
        IPaymentEscrow.PaymentTerms memory second = newTerms();
        second.token = address(usdt);
        done(stranger, permitCall(second, PAYER_KEY, AMOUNT, LATER));
        hasState(escrow.idOf(second), IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_aFailedPermitWithoutAllowanceFails() public {
        dropAllowance();
        bytes memory failure = abi.encodeWithSignature("AllowanceTooLow(uint256,uint256)", 0, AMOUNT);
        refused(stranger, permitCall(newTerms(), PAYER_KEY, AMOUNT, START - 1), failure);
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        failure = abi.encodeWithSignature("AllowanceTooLow(uint256,uint256)", AMOUNT - 1, AMOUNT);
        (uint8 v, bytes32 r, bytes32 s) = permitSignature(PAYER_KEY, AMOUNT - 1, LATER);
        usdc.permit(payer, address(escrow), AMOUNT - 1, LATER, v, r, s);
        refused(stranger, permitCall(terms, PAYER_KEY, AMOUNT - 1, LATER), failure);
    }

    function test_anErc3009AuthorizationOfAKeyIsReceived() public {
        dropAllowance();
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        done(stranger, receiveCall(terms, receiveSignature(terms)));
        bytes32 id = escrow.idOf(terms);
        hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT);
        require(usdc.authorizationState(payer, id), "nonce");
    }

    function test_anErc3009AuthorizationOfAContractIsReceived() public {
        SmartAccount account = new SmartAccount();
        usdc.mint(address(account), AMOUNT);
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.payer = address(account);
        bytes memory call = receiveCall(terms, hex"1234");
        refused(stranger, call, abi.encodeWithSignature("InvalidSignature(address)", address(account)));
        account.accept(receiveDigest(terms));
        done(stranger, call);
        hasState(escrow.idOf(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_aContractsErc3009SignatureMayHave65Bytes() public {
        SmartAccount account = new SmartAccount();
        usdc.mint(address(account), AMOUNT);
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.payer = address(account);
        account.accept(receiveDigest(terms));
        done(stranger, receiveCall(terms, sign(STRANGER_KEY, bytes32("one owner's signature"))));
        hasState(escrow.idOf(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_anErc3009AuthorizationIsForTheseTermsOnly() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes memory signature = receiveSignature(terms);
        IPaymentEscrow.PaymentTerms memory others = newTerms();
        bytes memory failure = abi.encodeWithSignature("InvalidSignature(address)", payer);
        refused(stranger, receiveCall(others, signature), failure);
        terms.merchant = stranger;
        refused(stranger, receiveCall(terms, signature), failure);
    }

    function test_theNativeCoinCannotBePulled() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(0);
        bytes memory failure =
            abi.encodeWithSelector(IPaymentEscrow.NativeCoinNotPullable.selector, escrow.idOf(terms));
        refused(stranger, allowanceCall(terms, PAYER_KEY), failure);
        refused(stranger, permitCall(terms, PAYER_KEY, AMOUNT, LATER), failure);
        refused(stranger, receiveCall(terms, receiveSignature(terms)), failure);
    }

    function test_aTokenThatAcceptsEverythingMustStillPay() public {
        FallbackToken token = new FallbackToken();
        token.mint(payer, AMOUNT);
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(token);
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.WrongBalance.selector, 0, AMOUNT);
        refused(stranger, receiveCall(terms, receiveSignature(terms)), failure);
        refusedAnyhow(stranger, permitCall(terms, PAYER_KEY, AMOUNT, LATER));
    }

    function test_aTokenWithOnlyTheBytesFormWorks() public {
        ReentrantToken token = new ReentrantToken();
        token.mint(payer, AMOUNT);
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(token);
        done(stranger, receiveCall(terms, hex"00"));
        refused(stranger, receiveCall(newTermsIn(address(token)), receiveSignature(terms)), "");
    }

    function test_theAmountIsCheckedOnEveryWayIn() public {
        FeeToken token = new FeeToken();
        token.mint(payer, 1e15);
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.WrongBalance.selector, AMOUNT - 1, AMOUNT);
        refused(stranger, allowanceCall(newTermsIn(address(token)), PAYER_KEY), failure);
        refused(stranger, permitCall(newTermsIn(address(token)), PAYER_KEY, AMOUNT, LATER), failure);
    }

    function test_aRelayedPaymentIsCollectedOnce() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        done(stranger, allowanceCall(terms, PAYER_KEY));
        bytes memory failure =
            wrongStatus(escrow.idOf(terms), IPaymentEscrow.Status.CAPTURED, IPaymentEscrow.Status.NONE);
        refused(stranger, allowanceCall(terms, PAYER_KEY), failure);
        refused(stranger, permitCall(terms, PAYER_KEY, AMOUNT, LATER), failure);
        refused(stranger, receiveCall(terms, receiveSignature(terms)), failure);
    }

    function newTermsIn(address token) private returns (IPaymentEscrow.PaymentTerms memory terms) {
        terms = newTerms();
        terms.token = token;
    }

    function dropAllowance() private {
        vm.prank(payer);
        usdc.approve(address(escrow), 0);
    }

    function allowanceCall(IPaymentEscrow.PaymentTerms memory terms, uint256 key) private view returns (bytes memory) {
        return abi.encodeCall(
            escrow.authorizeWithAllowance, (terms, signed(OPERATOR_KEY, terms), signed(key, terms))
        );
    }

    function permitSignature(uint256 key, uint256 value, uint256 deadline)
        private
        view
        returns (uint8, bytes32, bytes32)
    {
        bytes32 hash = keccak256(
            abi.encode(usdc.PERMIT_TYPEHASH(), payer, address(escrow), value, usdc.nonces(payer), deadline)
        );
        return vm.sign(key, keccak256(abi.encodePacked(hex"1901", usdc.DOMAIN_SEPARATOR(), hash)));
    }

    function permitCall(IPaymentEscrow.PaymentTerms memory terms, uint256 key, uint256 value, uint256 deadline)
        private
        view
        returns (bytes memory)
    {
        (uint8 v, bytes32 r, bytes32 s) = permitSignature(PAYER_KEY, value, deadline);
        bytes memory operatorSignature = signed(OPERATOR_KEY, terms);
        bytes memory payerSignature = signed(key, terms);
        return abi.encodeCall(
            escrow.authorizeWithPermit, (terms, operatorSignature, payerSignature, deadline, v, r, s)
        );
    }

    function receiveDigest(IPaymentEscrow.PaymentTerms memory terms) private view returns (bytes32) {
        bytes32 hash = keccak256(
            abi.encode(
                usdc.RECEIVE_WITH_AUTHORIZATION_TYPEHASH(),
                terms.payer,
                address(escrow),
                uint256(terms.amount),
                0,
                LATER,
                escrow.idOf(terms)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", usdc.DOMAIN_SEPARATOR(), hash));
    }

    function receiveSignature(IPaymentEscrow.PaymentTerms memory terms) private view returns (bytes memory) {
        return sign(PAYER_KEY, receiveDigest(terms));
    }

    function receiveCall(IPaymentEscrow.PaymentTerms memory terms, bytes memory signature)
        private
        view
        returns (bytes memory)
    {
        return abi.encodeCall(escrow.authorizeWithReceive, (terms, signed(OPERATOR_KEY, terms), LATER, signature));
    }

    function invalidPayer(bytes32 id, address signer) private view returns (bytes memory) {
        return abi.encodeWithSelector(IPaymentEscrow.InvalidPayerSignature.selector, digestOf(id), signer);
    }
}
