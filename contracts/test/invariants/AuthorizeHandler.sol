// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {Book} from "./Book.sol";
import {cheats} from "./Cheats.sol";
import {TrickToken} from "./TrickToken.sol";
import {Dice} from "./World.sol";

/// @notice Payments coming in, by every method, within the bounds and outside them.
abstract contract AuthorizeHandler is Book {
    uint256 private intents;

    constructor() {
        for (uint256 i; i < payers.length; ++i) {
            cheats.deal(payers[i], WEALTH);
            owned[payers[i]][address(0)] = WEALTH;
            for (uint256 j = 1; j < tokens.length; ++j) {
                TrickToken(tokens[j]).mint(payers[i], WEALTH);
                owned[payers[i]][tokens[j]] = WEALTH;
                _allow(payers[i], tokens[j], type(uint256).max);
            }
        }
    }

    function authorizeDirect(uint256 seed) external {
        Dice memory dice = _begin(Op.AUTHORIZE_DIRECT, seed);
        IPaymentEscrow.PaymentTerms memory t = _terms(dice, _one(dice, tokens));
        _allow(t.payer, t.token, type(uint256).max);
        bool expected = _collects(t, t.payer);
        bool ok = _call(
            t.payer,
            t.token == address(0) ? t.amount : 0,
            GAS,
            abi.encodeCall(IPaymentEscrow.authorize, (t, _signHash(t.operator, _id(t))))
        );
        if (_agrees(Op.AUTHORIZE_DIRECT, ok, expected, "direct authorization")) _book(t, _id(t));
    }

    /// @dev A permit where the token has one; elsewhere one that fails beside an allowance that covers.
    function authorizeWithPermit(uint256 seed) external {
        Dice memory dice = _begin(Op.AUTHORIZE_WITH_PERMIT, seed);
        IPaymentEscrow.PaymentTerms memory t = _terms(dice, tokens[1]);
        if (_isAccount(t.payer)) t.payer = payers[0];
        _allow(t.payer, t.token, 0);
        bytes memory data = _permitCall(t);
        bool expected = _collects(t, t.payer);
        bool ok = _call(stranger, 0, GAS, data);
        if (_agrees(Op.AUTHORIZE_WITH_PERMIT, ok, expected, "authorization by permit")) _book(t, _id(t));
    }

    /// @dev Invariant 9: the permit was used up before, or never worked, and the allowance covers the amount.
    function authorizeWithFrontRunPermit(uint256 seed) external {
        Dice memory dice = _begin(Op.AUTHORIZE_WITH_FRONT_RUN_PERMIT, seed);
        bool used = _roll(dice, 2) == 0;
        IPaymentEscrow.PaymentTerms memory t = _terms(dice, used ? tokens[1] : tokens[1 + _roll(dice, tokens.length - 1)]);
        if (used && _isAccount(t.payer)) t.payer = payers[1];
        _allow(t.payer, t.token, used ? 0 : type(uint256).max);
        bytes memory data;
        if (used) {
            data = _permitCall(t);
            (uint8 v, bytes32 r, bytes32 s) = _signPermit(t);
            TrickToken(t.token).permit(t.payer, address(escrow), t.amount, time + 1 hours, v, r, s);
        } else {
            data = abi.encodeCall(
                IPaymentEscrow.authorizeWithPermit,
                (t, _signHash(t.operator, _id(t)), _signHash(t.payer, _id(t)), time - 1, 27, bytes32(seed), bytes32(seed))
            );
        }
        bool expected = _collects(t, t.payer);
        bool ok = _call(stranger, 0, GAS, data);
        if (_agrees(Op.AUTHORIZE_WITH_FRONT_RUN_PERMIT, ok, expected, "9: front-run permit")) _book(t, _id(t));
    }

    function authorizeWithAllowance(uint256 seed) external {
        Dice memory dice = _begin(Op.AUTHORIZE_WITH_ALLOWANCE, seed);
        IPaymentEscrow.PaymentTerms memory t = _terms(dice, tokens[1 + _roll(dice, tokens.length - 1)]);
        bool covered = _roll(dice, 8) != 0;
        _allow(t.payer, t.token, covered ? t.amount : t.amount - 1);
        bool expected = covered && _collects(t, t.payer);
        bool ok = _call(
            stranger,
            0,
            GAS,
            abi.encodeCall(
                IPaymentEscrow.authorizeWithAllowance, (t, _signHash(t.operator, _id(t)), _signHash(t.payer, _id(t)))
            )
        );
        if (_agrees(Op.AUTHORIZE_WITH_ALLOWANCE, ok, expected, "authorization by allowance")) _book(t, _id(t));
    }

    function authorizeWithReceive(uint256 seed) external {
        Dice memory dice = _begin(Op.AUTHORIZE_WITH_RECEIVE, seed);
        IPaymentEscrow.PaymentTerms memory t = _terms(dice, tokens[1]);
        uint256 validBefore = time + _roll(dice, 6);
        bytes32 id = _id(t);
        bytes memory signature = _sign(
            t.payer, TrickToken(t.token).receiveDigest(t.payer, address(escrow), t.amount, 0, validBefore, id)
        );
        bool expected = _collects(t, t.payer) && time < validBefore;
        bool ok = _call(
            stranger,
            0,
            GAS,
            abi.encodeCall(
                IPaymentEscrow.authorizeWithReceive, (t, _signHash(t.operator, id), validBefore, signature)
            )
        );
        if (_agrees(Op.AUTHORIZE_WITH_RECEIVE, ok, expected, "authorization by ERC-3009")) _book(t, id);
    }

    /// @dev One bound broken by one, or the consents of both to nonsense: nothing may come in.
    function authorizeOutOfBounds(uint256 seed) external {
        Dice memory dice = _begin(Op.AUTHORIZE_OUT_OF_BOUNDS, seed);
        IPaymentEscrow.PaymentTerms memory t = _terms(dice, _roll(dice, 2) == 0 ? address(0) : tokens[1]);
        _break(t, _roll(dice, 24));
        _allow(t.payer, t.token, type(uint256).max);
        if (_collects(t, t.payer)) return;
        bool ok = _call(
            t.payer,
            t.token == address(0) ? t.amount : 0,
            GAS,
            abi.encodeCall(IPaymentEscrow.authorize, (t, _signHash(t.operator, _id(t))))
        );
        _refused(Op.AUTHORIZE_OUT_OF_BOUNDS, ok, "8: terms outside their bounds were taken");
    }

    function _break(IPaymentEscrow.PaymentTerms memory t, uint256 which) private view {
        if (which == 0) t.merchant = address(0);
        else if (which == 1) t.operator = address(0);
        else if (which == 2) t.amount = 0;
        else if (which == 3) (t.feeBps, t.feeRecipient) = (1, address(0));
        else if (which == 4) (t.feeBps, t.feeRecipient) = (1001, merchants[0]);
        else if (which == 5) t.authorizeBy = uint40(time - 1);
        else if (which == 6) t.captureBy = t.authorizeBy - 1;
        else if (which == 7) t.captureBy = uint40(time + 90 days + 1);
        else if (which == 8) (t.timelock, t.disputeWindow) = (180 days + 1, 0);
        else if (which == 9) (t.timelock, t.disputeWindow) = (1 days, 1 days + 1);
        else if (which == 10) t.disputeTimeout = 7 days - 1;
        else if (which == 11) t.disputeTimeout = 90 days + 1;
        else if (which == 12) t.arbiter = t.arbiter == address(0) ? arbiter : address(0);
        else if (which == 13) t.timeoutPayerBps = 10_001;
        else if (which == 14) t.disputeTimeout = type(uint32).max;
        else if (which == 15) t.timelock = type(uint32).max;
        else if (which == 16) t.captureBy = type(uint40).max;
        else _breakParties(t, which);
    }

    /// @dev Parties that could never use what they are paid, and an arbiter that is the operator.
    function _breakParties(IPaymentEscrow.PaymentTerms memory t, uint256 which) private view {
        if (which == 17) t.payer = address(escrow);
        else if (which == 18) t.payer = t.token;
        else if (which == 19) t.merchant = address(escrow);
        else if (which == 20) t.merchant = t.token;
        else if (which == 21) (t.feeBps, t.feeRecipient) = (0, address(escrow));
        else if (which == 22) t.feeRecipient = t.token;
        else (t.timelock, t.disputeWindow, t.disputeTimeout, t.arbiter) = (1 days, 1 days, 7 days, t.operator);
    }

    function _permitCall(IPaymentEscrow.PaymentTerms memory t) internal view returns (bytes memory) {
        bytes memory approval = _signHash(t.operator, _id(t));
        bytes memory consent = _signHash(t.payer, _id(t));
        (uint8 v, bytes32 r, bytes32 s) = _signPermit(t);
        return abi.encodeCall(IPaymentEscrow.authorizeWithPermit, (t, approval, consent, time + 1 hours, v, r, s));
    }

    function _signPermit(IPaymentEscrow.PaymentTerms memory t) private view returns (uint8, bytes32, bytes32) {
        bytes32 digest = TrickToken(t.token).permitDigest(t.payer, address(escrow), t.amount, time + 1 hours);
        return cheats.sign(keyOf[t.payer], digest);
    }

    function _allow(address payer, address token, uint256 amount) internal {
        if (token == address(0)) return;
        cheats.prank(payer);
        TrickToken(token).approve(address(escrow), amount);
    }

    /// @dev Whether valid consents for these terms bring the money in now: bounds, and a token that moves exactly.
    function _collects(IPaymentEscrow.PaymentTerms memory t, address payer) internal view returns (bool) {
        return _withinBounds(t) && _moves(t.token, payer) && _reaches(t.token, t.amount) == t.amount;
    }

    function _moves(address token, address payer) internal view returns (bool) {
        if (token == address(0)) return true;
        TrickToken trick = TrickToken(token);
        return !trick.paused() && !trick.blocked(payer) && !trick.blocked(address(escrow));
    }

    function _withinBounds(IPaymentEscrow.PaymentTerms memory t) internal view returns (bool) {
        if (t.payer == address(0) || t.merchant == address(0) || t.operator == address(0) || t.amount == 0) return false;
        if (t.feeBps > 1000 || t.timeoutPayerBps > 10_000) return false;
        if (t.feeBps > 0 && t.feeRecipient == address(0)) return false;
        if (_isSink(t.payer, t) || _isSink(t.merchant, t) || t.arbiter == t.operator) return false;
        if (t.feeRecipient != address(0) && _isSink(t.feeRecipient, t)) return false;
        if (time > t.authorizeBy || t.authorizeBy > t.captureBy || t.captureBy > time + 90 days) return false;
        if (t.disputeWindow > t.timelock || t.timelock > 180 days) return false;
        if ((t.arbiter == address(0)) != (t.disputeWindow == 0)) return false;
        return t.disputeWindow == 0 || (t.disputeTimeout >= 7 days && t.disputeTimeout <= 90 days);
    }

    function _isSink(address party, IPaymentEscrow.PaymentTerms memory t) private view returns (bool) {
        return party == address(escrow) || party == t.token;
    }

    /// @dev Terms within the bounds, with the extremes often; sums down to one base unit, for the rounding.
    function _terms(Dice memory dice, address token) internal returns (IPaymentEscrow.PaymentTerms memory t) {
        t.intentId = keccak256(abi.encode("intent", ++intents));
        t.payer = _one(dice, payers);
        t.merchant = _one(dice, merchants);
        t.token = token;
        t.amount = uint128(1 + _roll(dice, _roll(dice, 3) == 0 ? 30 : 1e22));
        t.authorizeBy = uint40(time + (_roll(dice, 3) == 0 ? 0 : _roll(dice, 3 days)));
        t.captureBy = uint40(_roll(dice, 3) == 0 ? time + 90 days : t.authorizeBy + _roll(dice, 10 days));
        _lateTerms(dice, t);
        t.feeBps = uint16(_roll(dice, 3) == 0 ? 1000 * _roll(dice, 2) : _roll(dice, 1001));
        if (t.feeBps > 0) t.feeRecipient = _one(dice, feeRecipients);
        t.operator = _one(dice, operators);
        t.quoteHash = bytes32(dice.state);
        t.captureOnAuthorize = _roll(dice, 2) == 0;
    }

    function _lateTerms(Dice memory dice, IPaymentEscrow.PaymentTerms memory t) private view {
        uint256 choice = _roll(dice, 4);
        t.timelock = uint32(choice == 0 ? 0 : choice == 1 ? 180 days : _roll(dice, 20 days));
        if (t.timelock > 0 && _roll(dice, 4) != 0) {
            t.disputeWindow = uint32(_roll(dice, 3) == 0 ? t.timelock : 1 + _roll(dice, t.timelock));
            t.disputeTimeout = uint32(_roll(dice, 3) == 0 ? 90 days : 7 days + _roll(dice, 30 days));
            t.timeoutPayerBps = uint16(_roll(dice, 3) == 0 ? 10_000 * _roll(dice, 2) : _roll(dice, 10_001));
            t.arbiter = arbiter;
        }
    }
}
