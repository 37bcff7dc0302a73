// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {PaymentEscrow} from "../PaymentEscrow.sol";
import {SmartAccount} from "./Accounts.sol";
import {Base} from "./Base.sol";
import {FalseToken, FeeToken, GenerousToken, PlainToken} from "./tokens/HostileTokens.sol";

/// @notice The payer's own call, the operator's signature, and what the terms' hash binds.
contract AuthorizeTest is Base {
    function test_theTermsHashIsTheOneOfEip712() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes32 typeHash = keccak256(
            "PaymentTerms(bytes32 intentId,address payer,address merchant,address token,uint128 amount,uint40 authorizeBy,uint40 captureBy,uint32 timelock,uint32 disputeWindow,uint32 disputeTimeout,uint16 timeoutPayerBps,uint16 feeBps,address feeRecipient,address operator,address arbiter,bytes32 quoteHash,bool captureOnAuthorize)"
        );
        eq(escrow.idOf(terms), keccak256(abi.encode(typeHash, terms)), "id");
        eq(escrow.digestOf(escrow.idOf(terms)), digestOf(escrow.idOf(terms)), "digest");
        (, string memory name, string memory version, uint256 chainId, address verifier, bytes32 salt,) =
            escrow.eip712Domain();
        eq(keccak256(bytes(name)), keccak256("Sluice"), "name");
        eq(keccak256(bytes(version)), keccak256("2"), "version");
        eq(chainId, block.chainid, "chain");
        eq(uint160(verifier), uint160(address(escrow)), "verifier");
        eq(salt, bytes32(0), "salt");
    }

    function test_aHoldIsCollectedAndStored() public {
        IPaymentEscrow.PaymentTerms memory terms = newHold();
        bytes32 id = escrow.idOf(terms);
        bytes memory data = authorizeCall(terms);
        uint256 before = usdc.balanceOf(payer);
        expectEvent();
        emit IPaymentEscrow.Authorized(id, terms.intentId, payer, terms, AMOUNT);
        done(payer, data);
        eq(usdc.balanceOf(address(escrow)), AMOUNT, "escrow");
        eq(usdc.balanceOf(payer), before - AMOUNT, "payer");
        (IPaymentEscrow.Status status, uint128 left, uint40 capturedAt, uint40 disputedAt) = escrow.stateOf(id);
        eq(uint8(status), uint8(IPaymentEscrow.Status.AUTHORIZED), "status");
        eq(left, AMOUNT, "left");
        eq(capturedAt, 0, "capturedAt");
        eq(disputedAt, 0, "disputedAt");
    }

    function test_aPaymentCanBeCapturedInTheSameCall() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes32 id = escrow.idOf(terms);
        bytes memory data = authorizeCall(terms);
        expectEvent();
        emit IPaymentEscrow.Authorized(id, terms.intentId, payer, terms, AMOUNT);
        expectEvent();
        emit IPaymentEscrow.Captured(id, terms.intentId, payer, AMOUNT, 0, AMOUNT);
        done(payer, data);
        (IPaymentEscrow.Status status, uint128 left, uint40 capturedAt, uint40 disputedAt) = escrow.stateOf(id);
        eq(uint8(status), uint8(IPaymentEscrow.Status.CAPTURED), "status");
        eq(left, AMOUNT, "left");
        eq(capturedAt, START, "capturedAt");
        eq(disputedAt, 0, "disputedAt");
    }

    function test_theNativeCoinComesAsExactValue() public {
        IPaymentEscrow.PaymentTerms memory terms = newHold();
        terms.token = address(0);
        bytes memory data = authorizeCall(terms);
        refusedWithValue(payer, AMOUNT - 1, data, wrongValue(AMOUNT - 1, AMOUNT));
        refusedWithValue(payer, AMOUNT + 1, data, wrongValue(AMOUNT + 1, AMOUNT));
        refusedWithValue(payer, 0, data, wrongValue(0, AMOUNT));
        bytes32 id = open(terms);
        eq(address(escrow).balance, AMOUNT, "escrow");
        hasState(id, IPaymentEscrow.Status.AUTHORIZED, AMOUNT);
    }

    function test_aTokenPaymentTakesNoValue() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        refusedWithValue(payer, 1, authorizeCall(terms), wrongValue(1, 0));
    }

    function test_onlyThePayerAuthorizesDirectly() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.NotPayer.selector, stranger, payer);
        refused(stranger, authorizeCall(terms), failure);
        failure = abi.encodeWithSelector(IPaymentEscrow.NotPayer.selector, operator, payer);
        refused(operator, authorizeCall(terms), failure);
    }

    function test_aPaymentIsCollectedOnce() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes32 id = open(terms);
        bytes memory again = authorizeCall(terms);
        refused(payer, again, wrongStatus(id, IPaymentEscrow.Status.CAPTURED, IPaymentEscrow.Status.NONE));
        done(operator, abi.encodeCall(escrow.refund, (terms, AMOUNT, AMOUNT)));
        refused(payer, again, wrongStatus(id, IPaymentEscrow.Status.REFUNDED, IPaymentEscrow.Status.NONE));
    }

    function test_theOperatorMustHaveSigned() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes32 id = escrow.idOf(terms);
        bytes memory failure = invalidOperator(id, operator);
        refused(payer, abi.encodeCall(escrow.authorize, (terms, signed(PAYER_KEY, terms))), failure);
        refused(payer, abi.encodeCall(escrow.authorize, (terms, "")), failure);
        bytes memory signature = signed(OPERATOR_KEY, terms);
        signature[64] = 0x00;
        refused(payer, abi.encodeCall(escrow.authorize, (terms, signature)), failure);
        bytes memory other = signed(OPERATOR_KEY, newTerms());
        refused(payer, abi.encodeCall(escrow.authorize, (terms, other)), failure);
    }

    function test_anySignedFieldThatChangesIsAnotherPayment() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes memory signature = signed(OPERATOR_KEY, terms);
        terms.amount += 1;
        bytes32 id = escrow.idOf(terms);
        refused(payer, abi.encodeCall(escrow.authorize, (terms, signature)), invalidOperator(id, operator));
    }

    function test_aSignatureIsForOneChainAndOneContract() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes memory data = authorizeCall(terms);
        uint256 home = block.chainid;
        vm.chainId(home + 1);
        refused(payer, data, invalidOperator(escrow.idOf(terms), operator));
        vm.chainId(home);
        PaymentEscrow other = new PaymentEscrow();
        eq(other.idOf(terms), escrow.idOf(terms), "id");
        require(other.digestOf(escrow.idOf(terms)) != digestOf(escrow.idOf(terms)), "same digest");
        vm.prank(payer);
        (bool ok,) = address(other).call(data);
        require(!ok, "replayed");
    }

    function test_theOperatorMayBeAContract() public {
        SmartAccount account = new SmartAccount();
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.operator = address(account);
        bytes32 id = escrow.idOf(terms);
        bytes memory data = abi.encodeCall(escrow.authorize, (terms, "anything"));
        refused(payer, data, invalidOperator(id, address(account)));
        account.accept(digestOf(id));
        done(payer, data);
        hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_aDelegatedAccountStillSignsWithItsKey() public {
        vm.etch(operator, abi.encodePacked(hex"ef0100", address(new SmartAccount())));
        require(operator.code.length > 0, "no code");
        bytes32 id = open(newTerms());
        hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_aTokenThatTakesAFeeIsRefused() public {
        FeeToken token = new FeeToken();
        IPaymentEscrow.PaymentTerms memory terms = termsIn(token);
        refused(payer, authorizeCall(terms), wrongBalance(AMOUNT - 1, AMOUNT));
    }

    function test_aTokenThatGivesTooMuchIsRefused() public {
        GenerousToken token = new GenerousToken();
        IPaymentEscrow.PaymentTerms memory terms = termsIn(token);
        refused(payer, authorizeCall(terms), wrongBalance(AMOUNT + 1, AMOUNT));
    }

    function test_aTokenThatAnswersFalseIsRefused() public {
        FalseToken token = new FalseToken();
        IPaymentEscrow.PaymentTerms memory terms = termsIn(token);
        token.dislike(payer);
        bytes memory failure = abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, address(token));
        refused(payer, authorizeCall(terms), failure);
    }

    function test_aTokenWithoutCodeIsRefused() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(0xC0FFEE);
        refused(payer, authorizeCall(terms), "");
    }

    function test_aTokenWithoutReturnValuesWorks() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(usdt);
        open(terms);
        eq(usdt.balanceOf(address(escrow)), AMOUNT, "escrow");
    }

    function test_aPayerWithoutAllowanceIsToldByTheToken() public {
        vm.prank(payer);
        usdc.approve(address(escrow), AMOUNT - 1);
        bytes memory failure = abi.encodeWithSignature("AllowanceTooLow(uint256,uint256)", AMOUNT - 1, AMOUNT);
        refused(payer, authorizeCall(newTerms()), failure);
    }

    function test_dirtyWordsAreRefused() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        // Every field that is shorter than a word: the escrow must refuse it even if it were signed as it stands.
        for (uint256 word = 1; word < 17; word++) {
            if (word == 15) continue;
            bytes memory data = abi.encodeCall(escrow.authorize, (terms, ""));
            data[4 + 32 * word] = 0x80;
            SmartAccount account = new SmartAccount();
            bytes memory dirty = data;
            bytes32 operatorWord = bytes32(uint256(uint160(address(account))));
            if (word == 13) operatorWord |= bytes32(uint256(1) << 255);
            assembly {
                mstore(add(dirty, add(0x24, mul(13, 0x20))), operatorWord)
            }
            bytes memory idCall = bytes.concat(escrow.idOf.selector, _slice(dirty, 4, 544));
            (, bytes memory answer) = address(escrow).staticcall(idCall);
            account.accept(digestOf(abi.decode(answer, (bytes32))));
            refused(payer, dirty, "");
        }
    }

    function _slice(bytes memory data, uint256 from, uint256 length) private pure returns (bytes memory part) {
        part = new bytes(length);
        for (uint256 i = 0; i < length; i++) {
            part[i] = data[from + i];
        }
    }

    function termsIn(PlainToken token) private returns (IPaymentEscrow.PaymentTerms memory terms) {
        token.mint(payer, 1e15);
        vm.prank(payer);
        token.approve(address(escrow), type(uint256).max);
        terms = newTerms();
        terms.token = address(token);
    }

    function wrongValue(uint256 actual, uint256 required) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IPaymentEscrow.WrongValue.selector, actual, required);
    }

    function wrongBalance(uint256 actual, uint256 required) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IPaymentEscrow.WrongBalance.selector, actual, required);
    }

    function invalidOperator(bytes32 id, address signer) private view returns (bytes memory) {
        return abi.encodeWithSelector(IPaymentEscrow.InvalidOperatorSignature.selector, digestOf(id), signer);
    }
}
