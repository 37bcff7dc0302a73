// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {HungryAccount, ReentrantAccount, SmartAccount} from "./Accounts.sol";
import {Base} from "./Base.sol";
import {FalseToken} from "./tokens/HostileTokens.sol";
import {PausingToken} from "./tokens/PausingToken.sol";

/// @notice Credits: for which role one was made, and how it reaches its recipient and nobody else.
contract ClaimTest is Base {
    uint256 private constant TOKEN_FLOOR = uint256(200_000) * 64 / 63 + 70_000;
    uint256 private constant NATIVE_FLOOR = uint256(50_000) * 64 / 63 + 70_000;

    function test_anybodyPaysACreditOutOnceTheBlacklistIsLifted() public {
        uint256 net = creditMerchant();
        bytes memory call = abi.encodeCall(escrow.claimFor, (merchant, address(usdc)));
        refused(stranger, call, abi.encodeWithSignature("Blacklist(address)", merchant));
        eq(escrow.creditOf(merchant, address(usdc)), net, "credit");
        usdc.unBlacklist(merchant);
        expectEvent();
        emit IPaymentEscrow.Claimed(merchant, address(usdc), merchant, net);
        done(stranger, call);
        eq(usdc.balanceOf(merchant), net, "merchant");
        eq(usdc.balanceOf(address(escrow)), 0, "escrow");
        eq(escrow.creditOf(merchant, address(usdc)), 0, "credit");
        refused(stranger, call, nothingFor(merchant, address(usdc)));
    }

    function test_anybodyPaysACreditOutOnceTheTokenGoesOn() public {
        PausingToken token = new PausingToken();
        token.mint(payer, AMOUNT);
        vm.prank(payer);
        token.approve(address(escrow), AMOUNT);
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(token);
        open(terms);
        token.pause(true);
        settle(terms);
        eq(escrow.creditOf(merchant, address(token)), AMOUNT - feeOf(AMOUNT), "credit");
        eq(escrow.creditOf(feeRecipient, address(token)), feeOf(AMOUNT), "fee's credit");
        bytes memory call = abi.encodeCall(escrow.claimFor, (merchant, address(token)));
        refused(stranger, call, abi.encodeWithSelector(PausingToken.Paused.selector));
        token.pause(false);
        done(stranger, call);
        eq(token.balanceOf(merchant), AMOUNT - feeOf(AMOUNT), "merchant");
        done(stranger, abi.encodeCall(escrow.claimFor, (feeRecipient, address(token))));
        eq(token.balanceOf(feeRecipient), feeOf(AMOUNT), "fee recipient");
        eq(token.balanceOf(address(escrow)), 0, "escrow");
    }

    function test_aTokenThatAnswersFalseKeepsTheCredit() public {
        FalseToken token = new FalseToken();
        token.mint(payer, AMOUNT);
        vm.prank(payer);
        token.approve(address(escrow), AMOUNT);
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(token);
        open(terms);
        token.dislike(merchant);
        settle(terms);
        refusedAnyhow(stranger, abi.encodeCall(escrow.claimFor, (merchant, address(token))));
        refusedAnyhow(merchant, abi.encodeCall(escrow.claim, (address(token), merchant)));
        eq(escrow.creditOf(merchant, address(token)), AMOUNT - feeOf(AMOUNT), "credit");
    }

    function test_aClaimForAnotherNeedsTheGasOfAPush() public {
        uint256 net = creditMerchant();
        usdc.unBlacklist(merchant);
        floorHolds(abi.encodeCall(escrow.claimFor, (merchant, address(usdc))), 250_000, TOKEN_FLOOR);
        eq(escrow.creditOf(merchant, address(usdc)), net, "credit");
        SmartAccount account = creditAccount();
        account.refuseCoin(false);
        bytes memory call = abi.encodeCall(escrow.claimFor, (address(account), address(0)));
        floorHolds(call, 100_000, NATIVE_FLOOR);
        eq(escrow.creditOf(address(account), address(0)), AMOUNT, "credit");
        // More than the coin's floor and less than a token's is enough for the coin.
        vm.prank(stranger);
        (bool ok,) = address(escrow).call{gas: 200_000}(call);
        require(ok, "the coin's floor is not the token's");
        eq(address(account).balance, AMOUNT, "account");
    }

    function test_coinForARecipientThatRevertsStaysItsCredit() public {
        SmartAccount account = creditAccount();
        bytes memory call = abi.encodeCall(escrow.claimFor, (address(account), address(0)));
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.ClaimFailed.selector, address(account), AMOUNT);
        refused(stranger, call, failure);
        eq(escrow.creditOf(address(account), address(0)), AMOUNT, "credit");
        eq(address(escrow).balance, AMOUNT, "escrow");
        account.refuseCoin(false);
        expectEvent();
        emit IPaymentEscrow.Claimed(address(account), address(0), address(account), AMOUNT);
        done(stranger, call);
        eq(address(account).balance, AMOUNT, "account");
        eq(address(escrow).balance, 0, "escrow");
    }

    function test_aRecipientBeyondTheStipendIsPaidByAClaim() public {
        HungryAccount account = new HungryAccount(60_000);
        voidNative(address(account));
        eq(escrow.creditOf(address(account), address(0)), AMOUNT, "credit");
        done(stranger, abi.encodeCall(escrow.claimFor, (address(account), address(0))));
        eq(address(account).balance, AMOUNT, "account");
    }

    function test_nobodyElseHasACredit() public {
        creditMerchant();
        bytes memory call = abi.encodeCall(escrow.claim, (address(usdc), stranger));
        refused(stranger, call, nothingFor(stranger, address(usdc)));
        call = abi.encodeCall(escrow.claimFor, (stranger, address(usdc)));
        refused(stranger, call, nothingFor(stranger, address(usdc)));
        call = abi.encodeCall(escrow.claimFor, (merchant, address(usdt)));
        refused(stranger, call, nothingFor(merchant, address(usdt)));
        call = abi.encodeCall(escrow.claimFor, (merchant, address(0)));
        refused(stranger, call, nothingFor(merchant, address(0)));
    }

    function test_aTokenIsClaimedToItsRecipientOnly() public {
        uint256 net = creditMerchant();
        address[4] memory others = [stranger, address(0), address(escrow), address(usdc)];
        for (uint256 i = 0; i < others.length; i++) {
            invalidTarget(merchant, address(usdc), others[i]);
        }
        bytes memory call = abi.encodeCall(escrow.claim, (address(usdc), merchant));
        refused(merchant, call, abi.encodeWithSignature("Blacklist(address)", merchant));
        eq(escrow.creditOf(merchant, address(usdc)), net, "credit");
        usdc.unBlacklist(merchant);
        expectEvent();
        emit IPaymentEscrow.Claimed(merchant, address(usdc), merchant, net);
        done(merchant, call);
        eq(usdc.balanceOf(merchant), net, "merchant");
        refused(merchant, call, nothingFor(merchant, address(usdc)));
    }

    function test_coinIsClaimedToAnyAddress() public {
        SmartAccount account = creditAccount();
        bytes memory toItself = abi.encodeCall(escrow.claim, (address(0), address(account)));
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.ClaimFailed.selector, address(account), AMOUNT);
        refused(address(account), toItself, failure);
        invalidTarget(address(account), address(0), address(0));
        invalidTarget(address(account), address(0), address(escrow));
        uint256 before = stranger.balance;
        account.execute(address(escrow), 0, abi.encodeCall(escrow.claim, (address(0), stranger)));
        eq(stranger.balance - before, AMOUNT, "claimed");
        eq(address(escrow).balance, 0, "escrow");
    }

    function test_aRecipientCannotBePaidTwiceByReentry() public {
        SmartAccount other = creditAccount();
        ReentrantAccount account = new ReentrantAccount();
        account.setCall(address(escrow), abi.encodeCall(escrow.claimFor, (address(other), address(0))));
        other.execute(address(escrow), 0, abi.encodeCall(escrow.claim, (address(0), address(account))));
        require(account.called() && !account.entered(), "re-entered");
        eq(address(account).balance, AMOUNT, "account");
    }

    function test_aCreditNamesMerchantAndFeeRecipient() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes32 id = open(terms);
        usdc.blacklist(merchant);
        usdc.blacklist(feeRecipient);
        vm.warp(START + terms.timelock);
        bytes memory call = abi.encodeCall(escrow.settle, (terms));
        credited(id, merchant, AMOUNT - feeOf(AMOUNT), IPaymentEscrow.Role.MERCHANT);
        credited(id, feeRecipient, feeOf(AMOUNT), IPaymentEscrow.Role.FEE_RECIPIENT);
        done(stranger, call);
    }

    function test_aCreditNamesEachRoleOfOneAddress() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.merchant = payer;
        terms.feeRecipient = payer;
        bytes32 id = open(terms);
        done(payer, abi.encodeCall(escrow.dispute, (terms)));
        usdc.blacklist(payer);
        bytes memory call = abi.encodeCall(escrow.resolve, (terms, 5_000));
        uint256 back = AMOUNT / 2;
        credited(id, payer, back, IPaymentEscrow.Role.PAYER);
        credited(id, payer, AMOUNT - back - feeOf(AMOUNT - back), IPaymentEscrow.Role.MERCHANT);
        credited(id, payer, feeOf(AMOUNT - back), IPaymentEscrow.Role.FEE_RECIPIENT);
        done(arbiter, call);
        eq(escrow.creditOf(payer, address(usdc)), AMOUNT, "credit");
    }

    function test_aMerchantThatTakesTheFeeIsNamedTwice() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.feeRecipient = merchant;
        bytes32 id = open(terms);
        usdc.blacklist(merchant);
        vm.warp(START + terms.timelock);
        bytes memory call = abi.encodeCall(escrow.settle, (terms));
        credited(id, merchant, AMOUNT - feeOf(AMOUNT), IPaymentEscrow.Role.MERCHANT);
        credited(id, merchant, feeOf(AMOUNT), IPaymentEscrow.Role.FEE_RECIPIENT);
        done(stranger, call);
    }

    function test_everyWayBackCreditsThePayer() public {
        for (uint256 way = 0; way < 5; way++) {
            IPaymentEscrow.PaymentTerms memory terms = way < 3 ? newHold() : newTerms();
            bytes32 id = open(terms);
            if (way == 4) done(payer, abi.encodeCall(escrow.dispute, (terms)));
            usdc.blacklist(payer);
            bytes memory call;
            uint256 amount = AMOUNT;
            if (way == 0) (call, amount) = (abi.encodeCall(escrow.capture, (terms, 3, AMOUNT)), AMOUNT - 3);
            if (way == 1) call = abi.encodeCall(escrow.void, (terms));
            if (way == 2) (call,) = (abi.encodeCall(escrow.reclaim, (terms)), reach(terms.captureBy + 1));
            if (way == 3) (call, amount) = (abi.encodeCall(escrow.refund, (terms, 3, AMOUNT)), 3);
            if (way == 4) call = abi.encodeCall(escrow.concede, (terms));
            credited(id, payer, amount, IPaymentEscrow.Role.PAYER);
            done(operator, call);
            usdc.unBlacklist(payer);
        }
    }

    function reach(uint256 timestamp) private returns (bool) {
        vm.warp(timestamp);
        return true;
    }

    /// @dev The next call's credit, to the last of its words.
    function credited(bytes32 id, address recipient, uint256 amount, IPaymentEscrow.Role role) private {
        expectEvent();
        emit IPaymentEscrow.Credited(id, recipient, address(usdc), amount, role);
    }

    function floorHolds(bytes memory call, uint256 gas_, uint256 floor) private {
        vm.prank(stranger);
        (bool ok, bytes memory answer) = address(escrow).call{gas: gas_}(call);
        require(!ok && bytes4(answer) == IPaymentEscrow.GasBelowFloor.selector, "no floor");
        uint256 gasLeft;
        uint256 required;
        assembly {
            gasLeft := mload(add(answer, 0x24))
            required := mload(add(answer, 0x44))
        }
        require(gasLeft < required, "floor");
        eq(required, floor, "required");
    }

    function invalidTarget(address caller, address token, address to) private {
        refused(
            caller,
            abi.encodeCall(escrow.claim, (token, to)),
            abi.encodeWithSelector(IPaymentEscrow.InvalidClaimTarget.selector, to)
        );
    }

    function nothingFor(address recipient, address token) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IPaymentEscrow.NothingToClaim.selector, recipient, token);
    }

    function settle(IPaymentEscrow.PaymentTerms memory terms) private {
        vm.warp(block.timestamp + terms.timelock);
        done(stranger, abi.encodeCall(escrow.settle, (terms)));
    }

    function creditMerchant() private returns (uint256 net) {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        open(terms);
        usdc.blacklist(merchant);
        settle(terms);
        net = AMOUNT - feeOf(AMOUNT);
        eq(escrow.creditOf(merchant, address(usdc)), net, "credit");
    }

    function creditAccount() private returns (SmartAccount account) {
        account = new SmartAccount();
        account.refuseCoin(true);
        voidNative(address(account));
        eq(escrow.creditOf(address(account), address(0)), AMOUNT, "credit");
    }

    /// @dev Gives a hold of the native coin back to its payer.
    function voidNative(address from) private {
        IPaymentEscrow.PaymentTerms memory terms = newHold();
        terms.token = address(0);
        terms.payer = from;
        vm.deal(from, AMOUNT);
        open(terms);
        done(operator, abi.encodeCall(escrow.void, (terms)));
    }
}
