// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IDepositBox} from "../DepositBox.sol";
import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {PaymentEscrow} from "../PaymentEscrow.sol";
import {ReentrantAccount, SmartAccount} from "./Accounts.sol";
import {Base} from "./Base.sol";
import {
    AliasToken,
    DualToken,
    FakeBox,
    FrugalAccount,
    LookingToken,
    OddBalanceToken,
    SkewedToken
} from "./tokens/DepositDoubles.sol";
import {OddToken, PlainToken, ReentrantToken} from "./tokens/HostileTokens.sol";

/// @notice Deposit addresses: what comes in by them, what goes back, and who may say so.
contract DepositTest is Base {
    function test_aDepositedTokenIsCollectedAndCaptured() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes32 id = escrow.idOf(terms);
        address box = deposited(terms, AMOUNT);
        eq(box.code.length, 0, "deployed too early");
        expectEvent();
        emit IPaymentEscrow.Authorized(id, terms.intentId, payer, terms, AMOUNT);
        expectEvent();
        emit IPaymentEscrow.Captured(id, terms.intentId, payer, AMOUNT, 0, AMOUNT);
        done(stranger, collectCall(terms));
        require(box.code.length > 0, "no box at the deposit address");
        hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT);
        eq(usdc.balanceOf(address(escrow)), AMOUNT, "escrow");
        eq(usdc.balanceOf(box), 0, "box");
        vm.warp(START + terms.timelock);
        done(stranger, abi.encodeCall(escrow.settle, (terms)));
        eq(usdc.balanceOf(merchant), AMOUNT - feeOf(AMOUNT), "merchant");
    }

    function test_aDepositedCoinIsCollectedAsAHold() public {
        IPaymentEscrow.PaymentTerms memory terms = nativeTerms();
        terms.captureOnAuthorize = false;
        address box = deposited(terms, AMOUNT);
        done(stranger, collectCall(terms));
        hasState(escrow.idOf(terms), IPaymentEscrow.Status.AUTHORIZED, AMOUNT);
        eq(address(escrow).balance, AMOUNT, "escrow");
        eq(box.balance, 0, "box");
        uint256 before = payer.balance;
        done(operator, abi.encodeCall(escrow.void, (terms)));
        eq(payer.balance - before, AMOUNT, "refunds go to the payer of the terms");
    }

    function test_aTokenWithoutReturnValueIsCollectedAndReturned() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(usdt);
        usdt.mint(escrow.depositAddressOf(terms), AMOUNT + 5);
        done(stranger, collectCall(terms));
        eq(usdt.balanceOf(address(escrow)), AMOUNT, "escrow");
        uint256 before = usdt.balanceOf(payer);
        done(stranger, returnCall(terms, address(usdt)));
        eq(usdt.balanceOf(payer) - before, 5, "payer");
    }

    function test_tooLittleIsRefusedUntilItIsToppedUp() public {
        for (uint256 i = 0; i < 2; i++) {
            IPaymentEscrow.PaymentTerms memory terms = i == 0 ? newTerms() : nativeTerms();
            address box = deposited(terms, AMOUNT - 1);
            refused(
                stranger,
                collectCall(terms),
                abi.encodeWithSelector(IPaymentEscrow.DepositTooLow.selector, AMOUNT - 1, AMOUNT)
            );
            hasState(escrow.idOf(terms), IPaymentEscrow.Status.NONE, 0);
            eq(held(box, terms.token), AMOUNT - 1, "box");
            deposited(terms, AMOUNT);
            done(stranger, collectCall(terms));
            hasState(escrow.idOf(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
        }
    }

    function test_whatIsTooMuchStaysAndAnybodyReturnsIt() public {
        for (uint256 i = 0; i < 2; i++) {
            IPaymentEscrow.PaymentTerms memory terms = i == 0 ? newTerms() : nativeTerms();
            bytes32 id = escrow.idOf(terms);
            address box = deposited(terms, AMOUNT + 7);
            done(stranger, collectCall(terms));
            eq(held(box, terms.token), 7, "box");
            uint256 before = held(payer, terms.token);
            expectEvent();
            emit IPaymentEscrow.DepositReturned(id, terms.intentId, payer, terms.token, 7);
            done(stranger, returnCall(terms, terms.token));
            eq(held(payer, terms.token) - before, 7, "payer");
            // What arrives later goes back too, and the payment stays what it is.
            deposited(terms, 3);
            done(merchant, returnCall(terms, terms.token));
            eq(held(payer, terms.token) - before, 10, "payer");
            hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT);
        }
    }

    function testFuzz_exactlyTheAmountIsCollected(uint128 amount, uint128 deposit) public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.amount = uint128(bound(amount, 1, 1e30));
        uint256 sum = bound(deposit, 0, 2e30);
        address box = deposited(terms, sum);
        bytes memory call = collectCall(terms);
        vm.prank(stranger);
        (bool ok,) = address(escrow).call(call);
        require(ok == (sum >= terms.amount), "collected");
        eq(usdc.balanceOf(address(escrow)), ok ? terms.amount : 0, "escrow");
        eq(usdc.balanceOf(box), ok ? sum - terms.amount : sum, "box");
    }

    function test_onlyTheOperatorsSignatureCollects() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        deposited(terms, AMOUNT);
        bytes memory failure = abi.encodeWithSelector(
            IPaymentEscrow.InvalidOperatorSignature.selector, digestOf(escrow.idOf(terms)), operator
        );
        bytes memory call = abi.encodeCall(escrow.authorizeFromDeposit, (terms, signed(STRANGER_KEY, terms)));
        refused(stranger, call, failure);
        // Nor does the operator as the caller.
        refused(operator, abi.encodeCall(escrow.authorizeFromDeposit, (terms, "")), failure);
    }

    function test_aDepositIsCollectedOnce() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        deposited(terms, 2 * AMOUNT);
        bytes memory call = collectCall(terms);
        done(stranger, call);
        bytes32 id = escrow.idOf(terms);
        bytes memory failure = wrongStatus(id, IPaymentEscrow.Status.CAPTURED, IPaymentEscrow.Status.NONE);
        refused(stranger, call, failure);
        refused(payer, authorizeCall(terms), failure);
        IPaymentEscrow.PaymentTerms memory paid = newTerms();
        open(paid);
        deposited(paid, AMOUNT);
        failure = wrongStatus(escrow.idOf(paid), IPaymentEscrow.Status.CAPTURED, IPaymentEscrow.Status.NONE);
        refused(stranger, collectCall(paid), failure);
    }

    function test_aDepositIsCollectedUntilAuthorizeBy() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        IPaymentEscrow.PaymentTerms memory late = newTerms();
        deposited(terms, AMOUNT);
        deposited(late, AMOUNT);
        vm.warp(terms.authorizeBy);
        done(stranger, collectCall(terms));
        vm.warp(terms.authorizeBy + 1);
        refused(
            stranger,
            collectCall(late),
            abi.encodeWithSelector(
                IPaymentEscrow.AuthorizeByPassed.selector, late.authorizeBy + 1, late.authorizeBy
            )
        );
        done(stranger, returnCall(late, late.token));
    }

    function test_boundsAndSinksHoldForDepositsToo() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.feeBps = 1_001;
        deposited(terms, AMOUNT);
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.FeeAboveMax.selector, 1_001, 1_000);
        refused(stranger, collectCall(terms), failure);
        terms = newTerms();
        terms.merchant = address(escrow);
        deposited(terms, AMOUNT);
        failure = abi.encodeWithSelector(IPaymentEscrow.SinkParty.selector, address(escrow));
        refused(stranger, collectCall(terms), failure);
    }

    function test_onlyTheOperatorReturnsWhatMayStillBecomeThePayment() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        deposited(terms, AMOUNT);
        bytes memory call = returnCall(terms, terms.token);
        address[3] memory others = [stranger, payer, merchant];
        for (uint256 i = 0; i < 3; i++) refused(others[i], call, notOperator(others[i]));
        vm.warp(terms.authorizeBy);
        refused(stranger, call, notOperator(stranger));
        uint256 before = usdc.balanceOf(payer);
        done(operator, call);
        eq(usdc.balanceOf(payer) - before, AMOUNT, "payer");
        // The right is checked before the balance.
        refused(stranger, call, notOperator(stranger));
        deposited(terms, AMOUNT);
        vm.warp(terms.authorizeBy + 1);
        done(stranger, call);
        eq(usdc.balanceOf(payer) - before, 2 * AMOUNT, "payer");
    }

    function test_afterAnAuthorizationOrInAnotherWayAnybodyReturns() public {
        IPaymentEscrow.PaymentTerms memory terms = newHold();
        deposited(terms, AMOUNT);
        open(terms);
        done(stranger, returnCall(terms, terms.token));
        done(operator, abi.encodeCall(escrow.void, (terms)));
        deposited(terms, 1);
        done(stranger, returnCall(terms, terms.token));
        eq(usdc.balanceOf(escrow.depositAddressOf(terms)), 0, "box");
    }

    function test_noOperatorKeepsADepositLongerThanAHoldMayLast() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.authorizeBy = uint40(START + 90 days);
        terms.captureBy = terms.authorizeBy;
        deposited(terms, AMOUNT);
        refused(stranger, returnCall(terms, terms.token), notOperator(stranger));
        done(stranger, collectCall(terms));
        terms.authorizeBy++;
        terms.captureBy++;
        deposited(terms, AMOUNT);
        uint256 before = usdc.balanceOf(payer);
        done(stranger, returnCall(terms, terms.token));
        eq(usdc.balanceOf(payer) - before, AMOUNT, "payer");
        terms.authorizeBy = type(uint40).max;
        deposited(terms, AMOUNT);
        done(stranger, returnCall(terms, terms.token));
        eq(usdc.balanceOf(payer) - before, 2 * AMOUNT, "payer");
    }

    function test_anybodyReturnsAWrongTokenAtAnyTime() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        address box = deposited(terms, AMOUNT - 1);
        usdt.mint(box, 11);
        vm.deal(box, 13);
        uint256 tokens = usdt.balanceOf(payer);
        uint256 coin = payer.balance;
        done(stranger, returnCall(terms, address(usdt)));
        done(stranger, returnCall(terms, address(0)));
        eq(usdt.balanceOf(payer) - tokens, 11, "token");
        eq(payer.balance - coin, 13, "coin");
        // The box is there now, and the payment can still be topped up and collected.
        deposited(terms, 1);
        done(stranger, collectCall(terms));
        hasState(escrow.idOf(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_nothingIsReturnedTwice() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        address box = deposited(terms, AMOUNT);
        done(operator, returnCall(terms, terms.token));
        for (uint256 i = 0; i < 2; i++) {
            address token = i == 0 ? terms.token : address(0);
            refused(
                operator,
                returnCall(terms, token),
                abi.encodeWithSelector(IPaymentEscrow.NothingToReturn.selector, box, token)
            );
        }
    }

    function test_aPayerThatCannotBePaidKeepsItsDeposit() public {
        SmartAccount account = new SmartAccount();
        IPaymentEscrow.PaymentTerms memory terms = nativeTerms();
        terms.payer = address(account);
        address box = deposited(terms, AMOUNT);
        account.refuseCoin(true);
        refused(operator, returnCall(terms, address(0)), notSent(box, address(0), address(account), AMOUNT));
        eq(escrow.creditOf(address(account), address(0)), 0, "credited");
        eq(box.balance, AMOUNT, "box");
        account.refuseCoin(false);
        done(operator, returnCall(terms, address(0)));
        eq(address(account).balance, AMOUNT, "payer");
        terms = newTerms();
        box = deposited(terms, AMOUNT);
        usdc.blacklist(payer);
        refused(operator, returnCall(terms, terms.token), notSent(box, terms.token, payer, AMOUNT));
        eq(escrow.creditOf(payer, terms.token), 0, "credited");
    }

    function test_sinksAreNotPayersOfAReturn() public {
        address[2] memory sinks = [address(escrow), address(usdc)];
        for (uint256 i = 0; i < 2; i++) {
            IPaymentEscrow.PaymentTerms memory terms = newTerms();
            terms.payer = sinks[i];
            deposited(terms, AMOUNT);
            refused(
                operator,
                returnCall(terms, terms.token),
                abi.encodeWithSelector(IPaymentEscrow.SinkParty.selector, sinks[i])
            );
        }
        IPaymentEscrow.PaymentTerms memory nobodys = nativeTerms();
        nobodys.payer = address(0);
        deposited(nobodys, AMOUNT);
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.SinkParty.selector, address(0));
        refused(operator, returnCall(nobodys, address(0)), failure);
    }

    function test_aTokenMustDeliverExactlyTheAmount() public {
        for (uint256 i = 0; i < 2; i++) {
            SkewedToken token = new SkewedToken(i == 0);
            IPaymentEscrow.PaymentTerms memory terms = newTerms();
            terms.token = address(token);
            address box = escrow.depositAddressOf(terms);
            token.mint(box, 2 * AMOUNT);
            refused(
                stranger,
                collectCall(terms),
                abi.encodeWithSelector(
                    IPaymentEscrow.WrongBalance.selector, i == 0 ? AMOUNT + 1 : AMOUNT - 1, AMOUNT
                )
            );
            eq(token.balanceOf(box), 2 * AMOUNT, "box");
        }
    }

    function test_onlyTrueOrNothingIsSent() public {
        for (uint256 i = 0; i < 7; i++) {
            OddToken token = new OddToken();
            IPaymentEscrow.PaymentTerms memory terms = newTerms();
            terms.token = address(token);
            address box = escrow.depositAddressOf(terms);
            token.mint(box, AMOUNT);
            token.setAnswer(OddToken.Answer(i));
            bool paid = OddToken.Answer(i) == OddToken.Answer.ONE || OddToken.Answer(i) == OddToken.Answer.LONG;
            bytes[2] memory calls = [collectCall(terms), returnCall(terms, address(token))];
            for (uint256 j = 0; j < 2; j++) {
                vm.prank(operator);
                // Too little for copies of the bombs that it answers with.
                (bool ok, bytes memory answer) = address(escrow).call{gas: 800_000}(calls[j]);
                require(ok == (paid && j == 0), "sent");
                if (ok || (paid && j == 1)) continue;
                address to = j == 0 ? address(escrow) : payer;
                require(keccak256(answer) == keccak256(notSent(box, address(token), to, AMOUNT)), "reason");
                eq(token.balanceOf(box), AMOUNT, "box");
            }
        }
    }

    function test_aTokenWithoutCodeOrBalanceHasNothingToReturn() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        address box = escrow.depositAddressOf(terms);
        for (uint256 i = 0; i < 5; i++) {
            // The last is the box itself, which is no token.
            address token = i == 3 ? stranger : i == 4 ? box : address(new OddBalanceToken(i));
            bytes memory call = returnCall(terms, token);
            vm.prank(stranger);
            (bool ok, bytes memory answer) = address(escrow).call{gas: 1_500_000}(call);
            bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.NothingToReturn.selector, box, token);
            require(!ok && keccak256(answer) == keccak256(failure), "returned");
        }
    }

    function test_aTokensSecondAddressMovesNothingOfThePayment() public {
        DualToken token = new DualToken();
        AliasToken second = new AliasToken(token);
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(token);
        token.mint(escrow.depositAddressOf(terms), AMOUNT);
        refused(stranger, returnCall(terms, address(second)), notOperator(stranger));
        vm.warp(terms.authorizeBy + 1);
        done(stranger, returnCall(terms, address(second)));
        eq(token.balanceOf(payer), AMOUNT, "payer");
    }

    function test_theEscrowItselfCallsNoNamedToken() public {
        DualToken token = new DualToken();
        AliasToken greedy = new AliasToken(token);
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        address box = escrow.depositAddressOf(terms);
        token.mint(address(escrow), AMOUNT);
        token.mint(box, 1);
        done(stranger, returnCall(terms, address(greedy)));
        require(greedy.caller() == box, "called by somebody else");
        eq(token.balanceOf(address(escrow)), AMOUNT, "escrow");
    }

    function test_aTokenCannotReenter() public {
        ReentrantToken token = new ReentrantToken();
        IPaymentEscrow.PaymentTerms memory other = newTerms();
        deposited(other, AMOUNT);
        IPaymentEscrow.PaymentTerms memory settled = newTerms();
        open(settled);
        bytes[4] memory calls = [
            collectCall(other),
            returnCall(other, other.token),
            abi.encodeCall(escrow.settle, (settled)),
            abi.encodeCall(escrow.claimFor, (payer, address(0)))
        ];
        for (uint256 i = 0; i < 8; i++) {
            IPaymentEscrow.PaymentTerms memory terms = newTerms();
            terms.token = address(token);
            token.mint(escrow.depositAddressOf(terms), AMOUNT);
            token.setCall(address(escrow), calls[i / 2]);
            done(operator, i % 2 == 0 ? collectCall(terms) : returnCall(terms, address(token)));
            require(!token.entered(), "entered");
            require(
                bytes4(token.answer()) == ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector, "other reason"
            );
        }
        hasState(escrow.idOf(other), IPaymentEscrow.Status.NONE, 0);
    }

    function test_aPayerThatIsPaidCannotReenter() public {
        ReentrantAccount account = new ReentrantAccount();
        IPaymentEscrow.PaymentTerms memory terms = nativeTerms();
        terms.payer = address(account);
        deposited(terms, AMOUNT);
        account.setCall(address(escrow), returnCall(terms, address(0)));
        done(operator, returnCall(terms, address(0)));
        require(account.called() && !account.entered(), "re-entered");
        eq(address(account).balance, AMOUNT, "paid once");
    }

    function test_aPaymentIsNotShownWhileItIsCollected() public {
        LookingToken token = new LookingToken(escrow);
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(token);
        token.mint(escrow.depositAddressOf(terms), AMOUNT);
        token.look(escrow.idOf(terms));
        done(stranger, collectCall(terms));
        require(token.looked() && token.seen() == IPaymentEscrow.Status.NONE, "shown before it was there");
        hasState(escrow.idOf(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_depositsOnAWrongChainAreReturnedThere() public {
        IPaymentEscrow.PaymentTerms memory terms = nativeTerms();
        bytes memory call = collectCall(terms);
        address box = escrow.depositAddressOf(terms);
        uint256 here = block.chainid;
        vm.chainId(here + 1);
        require(escrow.depositAddressOf(terms) == box, "another address");
        deposited(terms, AMOUNT);
        usdt.mint(box, 5);
        refused(
            stranger,
            call,
            abi.encodeWithSelector(
                IPaymentEscrow.InvalidOperatorSignature.selector, digestOf(escrow.idOf(terms)), operator
            )
        );
        uint256 tokens = usdt.balanceOf(payer);
        done(stranger, returnCall(terms, address(usdt)));
        eq(usdt.balanceOf(payer) - tokens, 5, "token");
        refused(stranger, returnCall(terms, address(0)), notOperator(stranger));
        uint256 before = payer.balance;
        vm.warp(terms.authorizeBy + 1);
        done(stranger, returnCall(terms, address(0)));
        eq(payer.balance - before, AMOUNT, "coin");
        vm.chainId(here);
    }

    function test_everyPaymentHasAnAddressOfItsOwn() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        address box = escrow.depositAddressOf(terms);
        terms.captureOnAuthorize = false;
        require(escrow.depositAddressOf(terms) != box, "shared by two sets of terms");
        terms.captureOnAuthorize = true;
        require(new PaymentEscrow().depositAddressOf(terms) != box, "shared by two escrows");
    }

    function test_theBoxObeysNobodyElse() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        address box = deposited(terms, AMOUNT + 1);
        vm.deal(box, AMOUNT);
        done(stranger, collectCall(terms));
        address[5] memory callers = [stranger, payer, operator, address(new PaymentEscrow()), box];
        bytes[3] memory calls = [
            abi.encodeCall(IDepositBox.send, (address(usdc), payer, 1)),
            abi.encodeCall(IDepositBox.send, (address(0), payer, 1)),
            abi.encodeCall(IDepositBox.held, (address(usdc)))
        ];
        for (uint256 i = 0; i < 15; i++) {
            vm.prank(callers[i / 3]);
            (bool ok,) = box.call(calls[i % 3]);
            require(!ok, "obeyed");
        }
        vm.prank(address(escrow));
        (bool known,) = box.call(abi.encodeWithSignature("transfer(address,uint256)", payer, 1));
        require(!known, "a function that it should not have");
        vm.deal(address(escrow), 1);
        vm.prank(address(escrow));
        (known,) = box.call{value: 1}(calls[2]);
        require(!known, "took coin with a call");
        eq(usdc.balanceOf(box), 1, "token");
        eq(box.balance, AMOUNT, "coin");
    }

    function test_coinArrivesBeforeAndAfterTheBoxIsThere() public {
        IPaymentEscrow.PaymentTerms memory terms = nativeTerms();
        address box = escrow.depositAddressOf(terms);
        vm.prank(payer);
        // No code yet: nothing runs, so that 21,000 gas for the transaction suffice.
        (bool ok,) = box.call{value: AMOUNT, gas: 0}("");
        require(ok, "before");
        done(stranger, collectCall(terms));
        vm.deal(address(this), 2);
        payable(box).transfer(2);
        eq(box.balance, 2, "after");
    }

    function test_theEscrowTakesCoinOnlyFromABoxThatItCollectsFrom() public {
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.UnexpectedCoin.selector, payer, 1);
        refusedWithValue(payer, 1, "", failure);
        IPaymentEscrow.PaymentTerms memory terms = nativeTerms();
        address box = deposited(terms, AMOUNT);
        done(stranger, collectCall(terms));
        vm.deal(box, 1);
        failure = abi.encodeWithSelector(IPaymentEscrow.UnexpectedCoin.selector, box, 1);
        refusedWithValue(box, 1, "", failure);
        // Nor while a token is collected.
        terms = newTerms();
        box = deposited(terms, AMOUNT);
        vm.etch(box, type(FakeBox).runtimeCode);
        vm.deal(box, 1);
        FakeBox(payable(box)).set(FakeBox.Trick.COIN_FOR_TOKEN);
        refused(stranger, collectCall(terms), notSent(box, address(usdc), address(escrow), AMOUNT));
    }

    function test_whateverLiesAtTheAddressTheBalanceDecides() public {
        for (uint256 i = 0; i < 3; i++) {
            IPaymentEscrow.PaymentTerms memory terms = nativeTerms();
            address box = deposited(terms, 2 * AMOUNT);
            vm.etch(box, type(FakeBox).runtimeCode);
            FakeBox(payable(box)).set(FakeBox.Trick(i));
            uint256 arrives = i == 0 ? 0 : i == 1 ? AMOUNT - 1 : AMOUNT + 1;
            refused(
                stranger,
                collectCall(terms),
                abi.encodeWithSelector(IPaymentEscrow.WrongBalance.selector, arrives, AMOUNT)
            );
        }
    }

    function test_aPayersContractIsNeverStarvedByWhoeverReturns() public {
        FrugalAccount account = new FrugalAccount();
        IPaymentEscrow.PaymentTerms memory terms = nativeTerms();
        terms.payer = address(account);
        deposited(terms, AMOUNT);
        bytes memory call = returnCall(terms, address(0));
        bool ok;
        for (uint256 gas_ = 40_000; !ok; gas_ += 500) {
            vm.prank(operator);
            (ok,) = address(escrow).call{gas: gas_}(call);
        }
        require(address(account).balance == AMOUNT && account.recorded(), "starved");
    }

    function test_theGasFloorOfAReturnIsNamed() public {
        for (uint256 i = 0; i < 2; i++) {
            IPaymentEscrow.PaymentTerms memory terms = i == 0 ? newTerms() : nativeTerms();
            deposited(terms, AMOUNT);
            bytes memory call = returnCall(terms, terms.token);
            vm.prank(operator);
            (bool ok, bytes memory answer) = address(escrow).call{gas: i == 0 ? 300_000 : 190_000}(call);
            require(!ok && bytes4(answer) == IPaymentEscrow.GasBelowFloor.selector, "no floor");
            uint256 required;
            assembly {
                required := mload(add(answer, 0x44))
            }
            eq(required, uint256(i == 0 ? 200_000 : 50_000) * 64 / 63 + 70_000, "required");
        }
    }

    function nativeTerms() private returns (IPaymentEscrow.PaymentTerms memory terms) {
        terms = newTerms();
        terms.token = address(0);
    }

    /// @dev Adds to the deposit as a wallet does that can only send: no call but the token's own.
    function deposited(IPaymentEscrow.PaymentTerms memory terms, uint256 amount) private returns (address box) {
        box = escrow.depositAddressOf(terms);
        if (terms.token == address(0)) vm.deal(box, box.balance + amount);
        else usdc.mint(box, amount);
    }

    function held(address who, address token) private view returns (uint256) {
        return token == address(0) ? who.balance : PlainToken(token).balanceOf(who);
    }

    function collectCall(IPaymentEscrow.PaymentTerms memory terms) private view returns (bytes memory) {
        return abi.encodeCall(escrow.authorizeFromDeposit, (terms, signed(OPERATOR_KEY, terms)));
    }

    function returnCall(IPaymentEscrow.PaymentTerms memory terms, address token) private view returns (bytes memory) {
        return abi.encodeCall(escrow.returnDeposit, (terms, token));
    }

    function notOperator(address caller) private view returns (bytes memory) {
        return abi.encodeWithSelector(IPaymentEscrow.NotOperator.selector, caller, operator);
    }

    function notSent(address box, address token, address to, uint256 amount) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IPaymentEscrow.DepositNotSent.selector, box, token, to, amount);
    }
}
