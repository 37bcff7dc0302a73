// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {cheats} from "./Cheats.sol";
import {LifecycleHandler} from "./LifecycleHandler.sol";
import {Dice} from "./World.sol";

/// @notice Consents, their charges and their end; and every way to charge more than was signed.
abstract contract SubscriptionHandler is LifecycleHandler {
    struct Charge {
        bytes32 consentId;
        bytes32 id;
        uint32 period;
        uint40 chargedAt;
        uint40 start;
        uint40 before;
    }

    bytes32[] public consentIds;
    Charge[] internal charges;
    mapping(bytes32 => IPaymentEscrow.RecurringConsent) internal consentOf;
    mapping(bytes32 => uint32) public nextPeriod;
    mapping(bytes32 => bool) public revoked;

    function consentCount() external view returns (uint256) {
        return consentIds.length;
    }

    function consent(bytes32 consentId) external view returns (IPaymentEscrow.RecurringConsent memory) {
        return consentOf[consentId];
    }

    function chargeCount() external view returns (uint256) {
        return charges.length;
    }

    function chargeAt(uint256 index) external view returns (Charge memory) {
        return charges[index];
    }

    function signConsent(uint256 seed) external {
        Dice memory dice = _begin(Op.SIGN_CONSENT, seed);
        if (consentIds.length >= 12) return;
        IPaymentEscrow.PaymentTerms memory t = _terms(dice, tokens[1 + _roll(dice, tokens.length - 1)]);
        IPaymentEscrow.RecurringConsent memory c;
        c.subscriptionId = t.intentId;
        (c.payer, c.merchant, c.token, c.capPerPeriod) = (t.payer, t.merchant, t.token, t.amount);
        c.start = uint40(_roll(dice, 4) == 0 ? time + _roll(dice, 3 days) : time - _roll(dice, 200 days));
        c.unit = uint8(_roll(dice, 3) == 0 ? 0 : 1);
        c.count = uint16(c.unit == 0 ? 1 + _roll(dice, 65_535) : 1 + _roll(dice, 3));
        c.end = uint40(_roll(dice, 3) == 0 ? time + _roll(dice, 40 days) : 0);
        (c.feeBps, c.feeRecipient, c.operator, c.arbiter) = (t.feeBps, t.feeRecipient, t.operator, t.arbiter);
        (c.timelock, c.disputeWindow) = (t.timelock, t.disputeWindow);
        (c.disputeTimeout, c.timeoutPayerBps) = (t.disputeTimeout, t.timeoutPayerBps);
        bytes32 consentId = _consentId(c);
        consentIds.push(consentId);
        consentOf[consentId] = c;
        ++successes[uint256(Op.SIGN_CONSENT)];
    }

    /// @dev The running period, its neighbours, and one charged before; in time and out of it.
    function charge(uint256 seed) external {
        Dice memory dice = _begin(Op.CHARGE, seed);
        if (consentIds.length == 0) return;
        bytes32 consentId = consentIds[_roll(dice, consentIds.length)];
        IPaymentEscrow.RecurringConsent memory c = consentOf[consentId];
        uint256 period = _running(c) + _roll(dice, 4);
        period = period < 2 ? 0 : period - 2;
        IPaymentEscrow.PaymentTerms memory t = _renewal(dice, c, uint32(period));
        _allow(c.payer, c.token, type(uint256).max);
        bool expected = _chargeable(consentId, uint32(period)) && _collects(t, c.payer);
        bool ok = _call(_anybody(dice), 0, GAS, _chargeCall(c, uint32(period), t, c.payer, c.operator));
        if (!_agrees(Op.CHARGE, ok, expected, "13: charge")) return;
        bytes32 id = _id(t);
        _book(t, id);
        payments[id].charged = true;
        nextPeriod[consentId] = uint32(period) + 1;
        charges.push(
            Charge(
                consentId,
                id,
                uint32(period),
                uint40(time),
                uint40(startOf(c, period)),
                uint40(startOf(c, period + 2))
            )
        );
    }

    function revoke(uint256 seed) external {
        Dice memory dice = _begin(Op.REVOKE, seed);
        if (consentIds.length == 0) return;
        bytes32 consentId = consentIds[_roll(dice, consentIds.length)];
        // Rare, or no consent would live to be charged.
        if (revoked[consentId] || _roll(dice, 4) != 0) return;
        bool ok = _call(
            consentOf[consentId].payer, 0, GAS, abi.encodeCall(IPaymentEscrow.revoke, (consentOf[consentId]))
        );
        if (_agrees(Op.REVOKE, ok, true, "revoke")) revoked[consentId] = true;
    }

    /// @dev A charge that would go through, but for one thing more than the payer signed.
    function overcharge(uint256 seed) external {
        Dice memory dice = _begin(Op.OVERCHARGE, seed);
        (bool found, bytes32 consentId, uint32 period) = _pickChargeable(dice);
        if (!found) return;
        IPaymentEscrow.RecurringConsent memory c = consentOf[consentId];
        IPaymentEscrow.PaymentTerms memory t = _renewal(dice, c, period);
        address consenter = c.payer;
        address approver = c.operator;
        uint256 trick = _roll(dice, 18);
        if (trick == 0) t.amount = c.capPerPeriod + 1;
        else if (trick == 1) t.merchant = thief;
        else if (trick == 2) t.feeBps = c.feeBps == 1000 ? 999 : c.feeBps + 1;
        else if (trick == 3) t.feeRecipient = thief;
        else if (trick == 4) t.captureOnAuthorize = false;
        else if (trick == 5) t.intentId = keccak256(abi.encode(consentId, period + 1));
        else if (trick == 6) t.timelock = c.timelock + 1;
        else if (trick == 7) t.timeoutPayerBps = c.timeoutPayerBps == 0 ? 1 : 0;
        else if (trick == 8) t.disputeTimeout = c.disputeTimeout == 8 days ? 9 days : 8 days;
        else if (trick == 9) t.arbiter = thief;
        else if (trick == 10) t.token = c.token == tokens[1] ? tokens[2] : tokens[1];
        else if (trick == 11) t.payer = c.payer == payers[2] ? payers[3] : payers[2];
        else if (trick == 12) (t.operator, approver) = (thief, thief);
        else if (trick == 13) approver = stranger;
        else if (trick == 14) consenter = thief;
        else if (trick == 15) t.disputeWindow = c.disputeWindow == 0 ? 1 : c.disputeWindow - 1;
        bytes memory data = _chargeCall(c, period, t, consenter, approver);
        if (trick == 17) {
            // The payer consented while the chain had another id.
            cheats.chainId(chain + 1);
            bytes memory signature = _signHash(c.payer, consentId);
            cheats.chainId(chain);
            data = abi.encodeCall(
                IPaymentEscrow.charge, (c, period, t, _approval(c, period, t, c.operator), signature)
            );
        }
        if (trick == 16) {
            // The consent itself is made dearer after it was signed.
            bytes memory signature = _signHash(c.payer, consentId);
            c.capPerPeriod += 1e24;
            t.intentId = keccak256(abi.encode(_consentId(c), period));
            data = abi.encodeCall(
                IPaymentEscrow.charge, (c, period, t, _approval(c, period, t, c.operator), signature)
            );
        }
        _refused(Op.OVERCHARGE, _call(thief, 0, GAS, data), "5: a charge beyond what was signed");
    }

    /// @dev Periods already charged, skipped in favour of a later one, too old or not begun, with all else in order.
    function chargeWrongPeriod(uint256 seed) external {
        Dice memory dice = _begin(Op.CHARGE_WRONG_PERIOD, seed);
        if (consentIds.length == 0) return;
        bytes32 consentId = consentIds[_roll(dice, consentIds.length)];
        IPaymentEscrow.RecurringConsent memory c = consentOf[consentId];
        uint256 choice = _roll(dice, 5);
        uint256 running = _running(c);
        uint32 period = uint32(running + 1);
        if (choice == 1) period = nextPeriod[consentId] == 0 ? period : nextPeriod[consentId] - 1;
        if (choice == 2) period = running < 2 ? period : uint32(running - 2);
        if (choice == 3) period = type(uint32).max - uint32(_roll(dice, 3));
        if (choice == 4) period = uint32(_roll(dice, 1 << 32));
        if (period <= running + 1 && _chargeable(consentId, period)) return;
        IPaymentEscrow.PaymentTerms memory t = _renewal(dice, c, period);
        _allow(c.payer, c.token, type(uint256).max);
        bool ok = _call(thief, 0, GAS, _chargeCall(c, period, t, c.payer, c.operator));
        _refused(Op.CHARGE_WRONG_PERIOD, ok, "13: a period that may not be charged was");
    }

    function _renewal(Dice memory dice, IPaymentEscrow.RecurringConsent memory c, uint32 period)
        internal
        returns (IPaymentEscrow.PaymentTerms memory t)
    {
        t = _terms(dice, c.token);
        t.intentId = keccak256(abi.encode(_consentId(c), period));
        (t.payer, t.merchant) = (c.payer, c.merchant);
        t.amount = uint128(_roll(dice, 2) == 0 ? c.capPerPeriod : 1 + _roll(dice, c.capPerPeriod));
        (t.feeBps, t.feeRecipient, t.operator, t.arbiter) = (c.feeBps, c.feeRecipient, c.operator, c.arbiter);
        (t.timelock, t.disputeWindow) = (c.timelock, c.disputeWindow);
        (t.disputeTimeout, t.timeoutPayerBps) = (c.disputeTimeout, c.timeoutPayerBps);
        t.captureOnAuthorize = true;
    }

    function _approval(
        IPaymentEscrow.RecurringConsent memory c,
        uint32 period,
        IPaymentEscrow.PaymentTerms memory t,
        address approver
    ) private view returns (bytes memory) {
        return _signHash(approver, keccak256(abi.encode(CHARGE_TYPE, _consentId(c), period, _id(t))));
    }

    function _chargeCall(
        IPaymentEscrow.RecurringConsent memory c,
        uint32 period,
        IPaymentEscrow.PaymentTerms memory t,
        address consenter,
        address approver
    ) internal view returns (bytes memory) {
        return abi.encodeCall(
            IPaymentEscrow.charge, (c, period, t, _approval(c, period, t, approver), _signHash(consenter, _consentId(c)))
        );
    }

    function _chargeable(bytes32 consentId, uint32 period) internal view returns (bool) {
        IPaymentEscrow.RecurringConsent memory c = consentOf[consentId];
        if (revoked[consentId] || period < nextPeriod[consentId]) return false;
        if (c.end != 0 && time >= c.end) return false;
        return startOf(c, period) <= time && time < startOf(c, uint256(period) + 2);
    }

    function _pickChargeable(Dice memory dice) private returns (bool, bytes32, uint32) {
        uint256 from = _roll(dice, 12);
        for (uint256 i; i < consentIds.length; ++i) {
            bytes32 consentId = consentIds[(from + i) % consentIds.length];
            uint32 period = uint32(_running(consentOf[consentId]));
            if (!_chargeable(consentId, period)) continue;
            if (!_moves(consentOf[consentId].token, consentOf[consentId].payer)) continue;
            _allow(consentOf[consentId].payer, consentOf[consentId].token, type(uint256).max);
            return (true, consentId, period);
        }
        return (false, 0, 0);
    }

    /// @dev The last period that has begun; 0 also before the first.
    function _running(IPaymentEscrow.RecurringConsent memory c) internal view returns (uint256 period) {
        if (time < c.start) return 0;
        if (c.unit == 0) return (time - c.start) / c.count;
        period = (time - c.start) / (31 days * uint256(c.count));
        while (startOf(c, period + 1) <= time) ++period;
    }

    /// @notice First second of a period, counted through the calendar month by month: slow, and unlike the contract.
    function startOf(IPaymentEscrow.RecurringConsent memory c, uint256 period) public pure returns (uint256) {
        if (c.unit == 0) return c.start + period * c.count;
        // 2027-01-01; no consent here starts before it.
        uint256 monthStart = 1_798_761_600;
        uint256 year = 2027;
        uint256 month;
        while (monthStart + _days(year, month) * 1 days <= c.start) {
            monthStart += _days(year, month) * 1 days;
            if (++month == 12) (month, year) = (0, year + 1);
        }
        uint256 inMonth = c.start - monthStart;
        for (uint256 i; i < period * c.count; ++i) {
            monthStart += _days(year, month) * 1 days;
            if (++month == 12) (month, year) = (0, year + 1);
        }
        uint256 day = inMonth / 1 days;
        if (day >= _days(year, month)) day = _days(year, month) - 1;
        return monthStart + day * 1 days + inMonth % 1 days;
    }

    function _days(uint256 year, uint256 month) private pure returns (uint256) {
        if (month == 1) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
        return month == 3 || month == 5 || month == 8 || month == 10 ? 30 : 31;
    }
}
