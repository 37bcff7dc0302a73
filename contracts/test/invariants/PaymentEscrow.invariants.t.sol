// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {PaymentEscrow} from "../../PaymentEscrow.sol";
import {Account} from "./Account.sol";
import {cheats} from "./Cheats.sol";
import {Handler} from "./Handler.sol";
import {TrickToken} from "./TrickToken.sol";

/// @notice The fifteen invariants. What the handlers see during a call (one that the rules refuse going through, or
///         the other way round) is reported beside them, with the number of the invariant first.
contract PaymentEscrowInvariants {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    Handler private handler;
    IPaymentEscrow private escrow;

    function setUp() public {
        escrow = _deploy();
        handler = new Handler(escrow, _deploy());
    }

    /// @dev The released code, or a mutant's, when the caller names one: without immutables it may lie anywhere.
    function _deploy() private returns (IPaymentEscrow deployed) {
        deployed = new PaymentEscrow();
        bytes memory code = cheats.envOr("ESCROW_RUNTIME_CODE", bytes(""));
        if (code.length != 0) cheats.etch(address(deployed), code);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(handler), handler.selectors());
    }

    /// @dev One function, since forge runs every invariant over the same sequence of calls. After each call what it
    ///      touched is checked; everything, now and then and in the end.
    function invariant_allFifteen() external view {
        _unbroken();
        bytes32 id = handler.touched();
        if (id != 0) {
            _stateAgrees(id);
            _balancesOf(id);
        }
        if (handler.steps() % 100 == 0) _allFifteen();
    }

    function _unbroken() private view {
        require(handler.breaches() == 0, handler.firstBreach());
    }

    function _allFifteen() private view {
        _01_theBalanceCoversAllLeftAndCredited();
        _02_perIdTheBooksAddUp();
        _03_collectedOnceAndAFinalStatusIsEmpty();
        _04_moneyGoesOnlyWhereTheTermsSay();
        _05_aPayerLosesOnlyWhatItSigned();
        _06_feesAreWithinBpsOfWhatSettled();
        _07_everyWindowHolds();
        _08_everyPaymentEndsInTime();
        _10_noReplayAnywhere();
        _11_hostileTokensGainNothing();
        _13_oneChargeAPeriodWithinTheCap();
        _15_whatArrivedIsCollectedReturnedOrStillThere();
        // 9, 12 and 14 are the handlers' own: authorizeWithFrontRunPermit, expectWrongLeft, and every push booked.
    }

    function _01_theBalanceCoversAllLeftAndCredited() private view {
        _solvent();
    }

    function _02_perIdTheBooksAddUp() private view {
        _booksAddUp();
    }

    function _03_collectedOnceAndAFinalStatusIsEmpty() private view {
        _statesAgree();
    }

    function _04_moneyGoesOnlyWhereTheTermsSay() private view {
        _balancesAgree();
    }

    function _05_aPayerLosesOnlyWhatItSigned() private view {
        for (uint256 i; i < 4; ++i) {
            address payer = handler.payers(i);
            for (uint256 j; j < handler.tokenCount(); ++j) {
                address token = handler.tokens(j);
                require(
                    _balance(token, payer) + handler.given(payer, token) == 1e30 + handler.returned(payer, token),
                    "5: a payer's balance moved without its signature"
                );
            }
        }
        for (uint256 i; i < handler.chargeCount(); ++i) {
            Handler.Charge memory c = handler.chargeAt(i);
            IPaymentEscrow.RecurringConsent memory signed = handler.consent(c.consentId);
            IPaymentEscrow.PaymentTerms memory t = handler.terms(c.id);
            require(t.payer == signed.payer && t.merchant == signed.merchant && t.feeRecipient == signed.feeRecipient,
                "5: a charge went to somebody else");
        }
    }

    function _06_feesAreWithinBpsOfWhatSettled() private view {
        for (uint256 i; i < handler.idCount(); ++i) {
            bytes32 id = handler.ids(i);
            Handler.Payment memory p = handler.payment(id);
            require(p.toFee * 10_000 <= (p.toMerchant + p.toFee) * handler.terms(id).feeBps, "6: fee too high");
            require(p.toFee == 0 || p.status >= IPaymentEscrow.Status.SETTLED, "6: a fee on a refund");
        }
    }

    function _07_everyWindowHolds() private view {
        for (uint256 i; i < handler.idCount(); ++i) {
            bytes32 id = handler.ids(i);
            Handler.Payment memory p = handler.payment(id);
            IPaymentEscrow.PaymentTerms memory t = handler.terms(id);
            require(p.authorizedAt <= t.authorizeBy, "7: authorized late");
            require(p.capturedAt <= t.captureBy, "7: captured late");
            require(p.disputedAt == 0 || p.disputedAt < uint256(p.capturedAt) + t.disputeWindow, "7: disputed late");
            if (p.status == IPaymentEscrow.Status.RECLAIMED) require(p.endedAt > t.captureBy, "7: reclaimed early");
            if (p.status == IPaymentEscrow.Status.SETTLED) {
                require(p.endedAt >= uint256(p.capturedAt) + t.timelock && p.disputedAt == 0, "7: settled early");
            }
        }
    }

    /// @dev The rest of it is afterInvariant: time alone empties everything.
    function _08_everyPaymentEndsInTime() private view {
        for (uint256 i; i < handler.idCount(); ++i) {
            bytes32 id = handler.ids(i);
            (, uint128 left,,) = escrow.stateOf(id);
            require(left == 0 || handler.emptiesAt(id) <= handler.latestEnd(id), "8: outlives its terms");
        }
    }

    function _10_noReplayAnywhere() private view {
        for (uint256 i; i < handler.idCount(); ++i) {
            bytes32 id = handler.ids(i);
            (IPaymentEscrow.Status there,,,) = handler.twin().stateOf(id);
            require(there == IPaymentEscrow.Status.NONE, "10: known to another contract");
            require(escrow.idOf(handler.terms(id)) == id, "10: the id is not the EIP-712 hash");
            require(handler.twin().digestOf(id) != escrow.digestOf(id), "10: one digest for two contracts");
        }
    }

    function _11_hostileTokensGainNothing() private view {
        require(!TrickToken(handler.tokens(1 + uint8(TrickToken.Kind.REENTRANT))).reentered(), "11: re-entered");
        require(!Account(payable(handler.merchants(1))).reentered(), "11: re-entered by a recipient");
    }

    function _13_oneChargeAPeriodWithinTheCap() private view {
        for (uint256 i; i < handler.chargeCount(); ++i) {
            Handler.Charge memory c = handler.chargeAt(i);
            IPaymentEscrow.RecurringConsent memory signed = handler.consent(c.consentId);
            require(escrow.periodStart(signed, c.period) == c.start, "13: the calendar is wrong");
            require(c.start <= c.chargedAt && c.chargedAt < c.before, "13: charged out of its time");
            require(handler.terms(c.id).amount <= signed.capPerPeriod, "13: above the cap");
            for (uint256 j; j < i; ++j) {
                Handler.Charge memory other = handler.chargeAt(j);
                require(other.consentId != c.consentId || other.period < c.period, "13: a period charged again");
            }
        }
        for (uint256 i; i < handler.consentCount(); ++i) {
            bytes32 consentId = handler.consentIds(i);
            (bool revoked, uint32 next) = escrow.consentState(consentId);
            require(revoked == handler.revoked(consentId), "13: revoked");
            require(next == handler.nextPeriod(consentId), "13: next period");
            require(escrow.consentIdOf(handler.consent(consentId)) == consentId, "13: consent id");
        }
    }

    function _15_whatArrivedIsCollectedReturnedOrStillThere() private view {
        for (uint256 i; i < handler.depositCount(); ++i) {
            address box = handler.boxOf(handler.depositIds(i));
            for (uint256 j; j < handler.tokenCount(); ++j) {
                address token = handler.tokens(j);
                require(
                    handler.arrived(box, token)
                        == handler.collectedFrom(box, token) + handler.sentBack(box, token) + _balance(token, box),
                    "15: a deposit went astray"
                );
            }
        }
    }

    /// @notice Liveness, and with it the end of every book: what is left goes, and what is credited can be claimed.
    function afterInvariant() external {
        string memory path = cheats.envOr("INVARIANT_TALLY", string(""));
        if (bytes(path).length != 0) cheats.writeLine(path, _tally());
        _allFifteen();
        handler.outlive();
        _unbroken();
        for (uint256 i; i < handler.idCount(); ++i) {
            (IPaymentEscrow.Status status, uint128 left,,) = escrow.stateOf(handler.ids(i));
            require(left == 0 && status > IPaymentEscrow.Status.CAPTURED, "8: a payment stays open");
        }
        handler.claimAll();
        handler.returnAll();
        _unbroken();
        for (uint256 i; i < handler.depositCount(); ++i) {
            address box = handler.boxOf(handler.depositIds(i));
            for (uint256 j; j < handler.tokenCount(); ++j) {
                require(_balance(handler.tokens(j), box) == 0, "8: a deposit stays behind");
            }
        }
        _solvent();
        _balancesAgree();
        for (uint256 j; j < handler.tokenCount(); ++j) {
            address token = handler.tokens(j);
            require(_balance(token, address(escrow)) == handler.donated(token), "8: money stays behind");
        }
    }

    function _tally() private view returns (string memory line) {
        for (uint256 op; op < handler.OPS(); ++op) {
            line = string.concat(
                line, cheats.toString(handler.calls(op)), "/", cheats.toString(handler.successes(op)), " "
            );
        }
    }

    function _solvent() private view {
        uint256 count = handler.tokenCount();
        uint256[] memory left = new uint256[](count);
        for (uint256 i; i < handler.idCount(); ++i) {
            bytes32 id = handler.ids(i);
            address token = handler.terms(id).token;
            (, uint128 held,,) = escrow.stateOf(id);
            for (uint256 j; j < count; ++j) {
                if (handler.tokens(j) == token) left[j] += held;
            }
        }
        for (uint256 j; j < count; ++j) {
            address token = handler.tokens(j);
            uint256 owed = left[j] + handler.donated(token);
            for (uint256 i; i < handler.everybodyCount(); ++i) owed += escrow.creditOf(handler.everybody(i), token);
            require(_balance(token, address(escrow)) == owed, "1: the balance is not what is left and credited");
        }
    }

    function _booksAddUp() private view {
        for (uint256 i; i < handler.idCount(); ++i) {
            bytes32 id = handler.ids(i);
            Handler.Payment memory p = handler.payment(id);
            (, uint128 left,,) = escrow.stateOf(id);
            require(p.collected == left + p.toPayer + p.toMerchant + p.toFee, "2: the books do not add up");
            require(p.credited <= p.toPayer + p.toMerchant + p.toFee, "2: more credited than distributed");
        }
    }

    function _statesAgree() private view {
        for (uint256 i; i < handler.idCount(); ++i) _stateAgrees(handler.ids(i));
    }

    function _stateAgrees(bytes32 id) private view {
        Handler.Payment memory p = handler.payment(id);
        (IPaymentEscrow.Status status, uint128 left, uint40 capturedAt, uint40 disputedAt) = escrow.stateOf(id);
        require(status == p.status && left == p.left, "3: the status is not the table's");
        require((left == 0) == (status > IPaymentEscrow.Status.CAPTURED), "3: a final status is not empty");
        require(capturedAt == p.capturedAt && disputedAt == p.disputedAt, "3: a time is wrong");
    }

    function _balancesOf(bytes32 id) private view {
        IPaymentEscrow.PaymentTerms memory t = handler.terms(id);
        _owns(address(escrow), t.token);
        _owns(t.payer, t.token);
        _owns(t.merchant, t.token);
        _owns(t.feeRecipient, t.token);
    }

    function _owns(address who, address token) private view returns (uint256 balance) {
        balance = _balance(token, who);
        require(balance == handler.owned(who, token), "4: somebody has what the terms did not give");
        require(escrow.creditOf(who, token) == handler.credits(who, token), "14: a credit is wrong");
    }

    function _balancesAgree() private view {
        for (uint256 j; j < handler.tokenCount(); ++j) {
            address token = handler.tokens(j);
            uint256 sum;
            for (uint256 i; i < handler.everybodyCount(); ++i) sum += _owns(handler.everybody(i), token);
            for (uint256 i; i < handler.depositCount(); ++i) sum += _owns(handler.boxOf(handler.depositIds(i)), token);
            require(token == address(0) || sum == TrickToken(token).totalSupply(), "4: money went astray");
        }
    }

    function _balance(address token, address who) private view returns (uint256) {
        return token == address(0) ? who.balance : TrickToken(token).balanceOf(who);
    }
}
