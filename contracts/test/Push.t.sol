// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {BombAccount, HungryAccount, ReentrantAccount} from "./Accounts.sol";
import {Base} from "./Base.sol";
import {FalseToken, OddToken, PlainToken, ReentrantToken} from "./tokens/HostileTokens.sol";

/// @notice Money out: recipients that cannot be paid, gas, re-entry.
contract PushTest is Base {
    function test_aBlacklistedMerchantIsCreditedAndTheFeeIsPaid() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes32 id = open(terms);
        usdc.blacklist(merchant);
        vm.warp(START + terms.timelock);
        uint256 net = AMOUNT - feeOf(AMOUNT);
        bytes memory call = abi.encodeCall(escrow.settle, (terms));
        expectEvent();
        emit IPaymentEscrow.Credited(id, merchant, address(usdc), net, IPaymentEscrow.Role.MERCHANT);
        done(stranger, call);
        hasState(id, IPaymentEscrow.Status.SETTLED, 0);
        eq(usdc.balanceOf(feeRecipient), feeOf(AMOUNT), "fee");
        eq(escrow.creditOf(merchant, address(usdc)), net, "credit");
        eq(usdc.balanceOf(address(escrow)), net, "escrow");
    }

    function test_aBlacklistedFeeRecipientKeepsNobodyFromTheirMoney() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        open(terms);
        usdc.blacklist(feeRecipient);
        done(payer, abi.encodeCall(escrow.dispute, (terms)));
        uint256 before = usdc.balanceOf(payer);
        done(arbiter, abi.encodeCall(escrow.resolve, (terms, 5_000)));
        uint256 back = AMOUNT / 2;
        eq(usdc.balanceOf(payer) - before, back, "payer");
        eq(usdc.balanceOf(merchant), AMOUNT - back - feeOf(AMOUNT - back), "merchant");
        eq(escrow.creditOf(feeRecipient, address(usdc)), feeOf(AMOUNT - back), "credit");
    }

    function test_creditsAddUp() public {
        creditMerchant();
        creditMerchant();
        eq(escrow.creditOf(merchant, address(usdc)), 2 * (AMOUNT - feeOf(AMOUNT)), "credit");
    }

    function test_aRecipientWithinTheStipendIsPaidWhateverGasTheCallerGives() public {
        HungryAccount account = new HungryAccount(45_000);
        neverStarved(nativeHold(address(account)), address(account));
    }

    function test_aRecipientBeyondTheStipendIsCredited() public {
        HungryAccount account = new HungryAccount(60_000);
        done(operator, abi.encodeCall(escrow.void, (nativeHold(address(account)))));
        eq(escrow.creditOf(address(account), address(0)), AMOUNT, "credit");
    }

    function test_aTokensTransferIsNeverStarved() public {
        neverStarved(newOpenHold(), payer);
    }

    function test_theGasFloorIsNamed() public {
        IPaymentEscrow.PaymentTerms memory terms = newOpenHold();
        bytes memory call = abi.encodeCall(escrow.void, (terms));
        vm.prank(operator);
        (bool ok, bytes memory answer) = address(escrow).call{gas: 250_000}(call);
        require(!ok && bytes4(answer) == IPaymentEscrow.GasBelowFloor.selector, "no floor");
        (uint256 gasLeft, uint256 required) = abi.decode(slice(answer), (uint256, uint256));
        require(gasLeft < required, "floor");
        eq(required, uint256(200_000) * 64 / 63 + 70_000, "required");
        IPaymentEscrow.PaymentTerms memory native = nativeHold(payer);
        vm.prank(operator);
        (ok, answer) = address(escrow).call{gas: 100_000}(abi.encodeCall(escrow.void, (native)));
        require(!ok && bytes4(answer) == IPaymentEscrow.GasBelowFloor.selector, "no floor");
        (gasLeft, required) = abi.decode(slice(answer), (uint256, uint256));
        eq(required, uint256(50_000) * 64 / 63 + 70_000, "required");
    }

    function test_aTokenThatBurnsAllGasIsCreditedAndTheOthersGoOn() public {
        OddToken token = new OddToken();
        IPaymentEscrow.PaymentTerms memory terms = openIn(token);
        done(payer, abi.encodeCall(escrow.dispute, (terms)));
        token.setAnswer(OddToken.Answer.BURN_GAS);
        bytes memory call = abi.encodeCall(escrow.resolve, (terms, 5_000));
        vm.prank(arbiter);
        (bool ok,) = address(escrow).call{gas: 1_200_000}(call);
        require(ok, "stuck");
        eq(credits(terms), AMOUNT, "credits");
    }

    function test_returnBombsAreNotCopied() public {
        for (uint256 i = 0; i < 2; i++) {
            OddToken token = new OddToken();
            IPaymentEscrow.PaymentTerms memory terms = openIn(token);
            token.setAnswer(i == 0 ? OddToken.Answer.BOMB : OddToken.Answer.REVERT_BOMB);
            settleWithGas(terms, 700_000);
            eq(credits(terms), AMOUNT, "credits");
        }
        BombAccount account = new BombAccount();
        IPaymentEscrow.PaymentTerms memory native = nativeHold(address(account));
        vm.prank(operator);
        (bool ok,) = address(escrow).call{gas: 220_000}(abi.encodeCall(escrow.void, (native)));
        require(ok, "stuck");
        eq(escrow.creditOf(address(account), address(0)), AMOUNT, "credit");
    }

    function test_onlyTrueOrNothingIsPaid() public {
        for (uint256 i = 0; i < 4; i++) {
            OddToken token = new OddToken();
            IPaymentEscrow.PaymentTerms memory terms = openIn(token);
            token.setAnswer(OddToken.Answer(i));
            settleWithGas(terms, 2_000_000);
            bool paid = OddToken.Answer(i) == OddToken.Answer.ONE || OddToken.Answer(i) == OddToken.Answer.LONG;
            eq(credits(terms), paid ? 0 : AMOUNT, "credits");
        }
    }

    function test_aTokenThatAnswersFalseIsNotPaid() public {
        FalseToken token = new FalseToken();
        IPaymentEscrow.PaymentTerms memory terms = openIn(token);
        token.dislike(merchant);
        settleWithGas(terms, 2_000_000);
        eq(escrow.creditOf(merchant, address(token)), AMOUNT - feeOf(AMOUNT), "credit");
        eq(token.balanceOf(feeRecipient), feeOf(AMOUNT), "fee");
    }

    function test_aTokenWithoutReturnValueIsPaid() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(usdt);
        open(terms);
        settleWithGas(terms, 2_000_000);
        eq(usdt.balanceOf(merchant), AMOUNT - feeOf(AMOUNT), "merchant");
        eq(escrow.creditOf(merchant, address(usdt)), 0, "paid and credited");
    }

    function test_aTokenWhoseCodeVanishedIsNotTakenForPaid() public {
        PlainToken token = new PlainToken();
        IPaymentEscrow.PaymentTerms memory terms = openIn(token);
        vm.etch(address(token), "");
        settleWithGas(terms, 2_000_000);
        eq(credits(terms), AMOUNT, "credits");
    }

    function test_aTokenCannotReenter() public {
        ReentrantToken token = new ReentrantToken();
        IPaymentEscrow.PaymentTerms memory terms = openIn(token);
        IPaymentEscrow.PaymentTerms memory other = newTerms();
        open(other);
        vm.warp(START + terms.timelock);
        bytes[18] memory calls = everyCall(other);
        for (uint256 i = 0; i < calls.length; i++) {
            IPaymentEscrow.PaymentTerms memory trap = openIn(token);
            token.setCall(address(escrow), calls[i]);
            done(operator, abi.encodeCall(escrow.refund, (trap, 1, AMOUNT)));
            require(!token.entered(), "entered");
            require(
                bytes4(token.answer()) == ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector, "other reason"
            );
            token.setCall(address(0), "");
        }
        token.setCall(address(escrow), calls[0]);
        IPaymentEscrow.PaymentTerms memory incoming = newTerms();
        incoming.token = address(token);
        token.mint(payer, AMOUNT);
        open(incoming);
        require(!token.entered(), "entered on the way in");
    }

    function test_aPaidAccountCannotReenter() public {
        ReentrantAccount account = new ReentrantAccount();
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(0);
        terms.merchant = address(account);
        open(terms);
        vm.warp(START + terms.timelock);
        account.setCall(address(escrow), abi.encodeCall(escrow.settle, (terms)));
        done(stranger, abi.encodeCall(escrow.settle, (terms)));
        require(account.called() && !account.entered(), "re-entered");
        eq(address(account).balance, AMOUNT - feeOf(AMOUNT), "paid once");
    }

    function test_nobodyIsCalledForNothing() public {
        ReentrantAccount account = new ReentrantAccount();
        IPaymentEscrow.PaymentTerms memory whole = nativeHold(address(account));
        done(operator, abi.encodeCall(escrow.capture, (whole, AMOUNT, AMOUNT)));
        IPaymentEscrow.PaymentTerms memory conceded = newTerms();
        conceded.token = address(0);
        conceded.merchant = address(account);
        conceded.feeRecipient = address(account);
        open(conceded);
        done(payer, abi.encodeCall(escrow.dispute, (conceded)));
        done(operator, abi.encodeCall(escrow.concede, (conceded)));
        require(!account.called(), "called for nothing");
    }

    function test_plainCoinIsNotTaken() public {
        vm.prank(payer);
        (bool ok,) = address(escrow).call{value: 1}("");
        require(!ok, "took coin for nothing");
    }

    /// @dev Whatever gas the caller gives, the call reverts or pays: it never credits.
    function neverStarved(IPaymentEscrow.PaymentTerms memory terms, address recipient) private {
        bytes memory call = abi.encodeCall(escrow.void, (terms));
        bool ok;
        for (uint256 gas_ = 40_000; !ok; gas_ += 500) {
            vm.prank(operator);
            (ok,) = address(escrow).call{gas: gas_}(call);
            eq(escrow.creditOf(recipient, terms.token), 0, "starved");
        }
        hasState(escrow.idOf(terms), IPaymentEscrow.Status.VOIDED, 0);
    }

    function creditMerchant() private {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        open(terms);
        usdc.blacklist(merchant);
        settleWithGas(terms, 2_000_000);
    }

    function settleWithGas(IPaymentEscrow.PaymentTerms memory terms, uint256 gas_) private {
        vm.warp(block.timestamp + terms.timelock);
        bytes memory call = abi.encodeCall(escrow.settle, (terms));
        vm.prank(stranger);
        (bool ok,) = address(escrow).call{gas: gas_}(call);
        require(ok, "not settled");
    }

    function credits(IPaymentEscrow.PaymentTerms memory terms) private view returns (uint256) {
        return escrow.creditOf(payer, terms.token) + escrow.creditOf(merchant, terms.token)
            + escrow.creditOf(feeRecipient, terms.token);
    }

    function newOpenHold() private returns (IPaymentEscrow.PaymentTerms memory terms) {
        terms = newHold();
        open(terms);
    }

    function nativeHold(address from) private returns (IPaymentEscrow.PaymentTerms memory terms) {
        terms = newHold();
        terms.token = address(0);
        terms.payer = from;
        vm.deal(from, AMOUNT);
        bytes memory call = authorizeCall(terms);
        vm.prank(from);
        (bool ok,) = address(escrow).call{value: AMOUNT}(call);
        require(ok, "not opened");
    }

    function openIn(PlainToken token) private returns (IPaymentEscrow.PaymentTerms memory terms) {
        token.mint(payer, AMOUNT);
        vm.prank(payer);
        token.approve(address(escrow), type(uint256).max);
        terms = newTerms();
        terms.token = address(token);
        open(terms);
    }

    function everyCall(IPaymentEscrow.PaymentTerms memory terms) private view returns (bytes[18] memory calls) {
        IPaymentEscrow.RecurringConsent memory consent;
        calls[0] = abi.encodeCall(escrow.settle, (terms));
        calls[1] = abi.encodeCall(escrow.authorize, (terms, ""));
        calls[2] = abi.encodeCall(escrow.authorizeWithAllowance, (terms, "", ""));
        calls[3] = abi.encodeCall(escrow.authorizeWithPermit, (terms, "", "", 0, 0, 0, 0));
        calls[4] = abi.encodeCall(escrow.authorizeWithReceive, (terms, "", 0, ""));
        calls[5] = abi.encodeCall(escrow.capture, (terms, 1, 1));
        calls[6] = abi.encodeCall(escrow.void, (terms));
        calls[7] = abi.encodeCall(escrow.reclaim, (terms));
        calls[8] = abi.encodeCall(escrow.refund, (terms, 1, 1));
        calls[9] = abi.encodeCall(escrow.dispute, (terms));
        calls[10] = abi.encodeCall(escrow.charge, (consent, 0, terms, "", ""));
        calls[11] = abi.encodeCall(escrow.revoke, (consent));
        calls[13] = abi.encodeCall(escrow.disputeWithSignature, (terms, ""));
        calls[14] = abi.encodeCall(escrow.resolve, (terms, 0));
        calls[15] = abi.encodeCall(escrow.concede, (terms));
        calls[16] = abi.encodeCall(escrow.resolveByTimeout, (terms));
        calls[12] = abi.encodeCall(escrow.claim, (address(0), payer));
        calls[17] = abi.encodeCall(escrow.claimFor, (payer, address(0)));
    }

    function slice(bytes memory answer) private pure returns (bytes memory data) {
        data = new bytes(answer.length - 4);
        for (uint256 i = 0; i < data.length; i++) {
            data[i] = answer[i + 4];
        }
    }
}
