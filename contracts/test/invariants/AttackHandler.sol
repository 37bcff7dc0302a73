// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {Account} from "./Account.sol";
import {cheats} from "./Cheats.sol";
import {SubscriptionHandler} from "./SubscriptionHandler.sol";
import {TrickToken} from "./TrickToken.sol";
import {Dice} from "./World.sol";

/// @notice What must not work, whoever tries it. The thief holds the keys of both operators, and every payer has
///         given the escrow an allowance without limit.
abstract contract AttackHandler is SubscriptionHandler {
    function stealWithOperatorKey(uint256 seed) external {
        Dice memory dice = _begin(Op.STEAL_WITH_OPERATOR_KEY, seed);
        IPaymentEscrow.PaymentTerms memory t = _terms(dice, tokens[1 + _roll(dice, 2)]);
        (t.merchant, t.timelock, t.disputeWindow, t.arbiter) = (thief, 0, 0, address(0));
        t.captureOnAuthorize = true;
        _allow(t.payer, t.token, type(uint256).max);
        _refused(
            Op.STEAL_WITH_OPERATOR_KEY,
            _call(thief, 0, GAS, _theft(dice, t)),
            "5: the operator's key moved a payer's money"
        );
    }

    function _theft(Dice memory dice, IPaymentEscrow.PaymentTerms memory t) private returns (bytes memory) {
        uint256 trick = _roll(dice, 9);
        bytes32 earlier = ids.length == 0 ? bytes32(uint256(1)) : ids[_roll(dice, ids.length)];
        bytes memory empty;
        if (trick == 0) return _withAllowance(t, _signHash(t.operator, _id(t)));
        if (trick == 1) return _withAllowance(t, _signHash(t.payer, earlier));
        if (trick == 2) return _withAllowance(t, empty);
        if (trick == 3) {
            bytes32 signed = consentIds.length == 0 ? earlier : consentIds[_roll(dice, consentIds.length)];
            return _withAllowance(t, _signHash(t.payer, signed));
        }
        if (trick == 4) return abi.encodeCall(IPaymentEscrow.authorize, (t, _signHash(t.operator, _id(t))));
        if (trick == 5) return _receiveCall(t, t.payer, earlier);
        if (trick == 6) return _receiveCall(t, thief, _id(t));
        if (trick == 7) {
            // Two accounts of one owner: what one signed is no consent of the other.
            t.payer = payers[2];
            bytes memory signature = _signHash(t.payer, _id(t));
            t.payer = payers[3];
            _allow(t.payer, t.token, type(uint256).max);
            return _withAllowance(t, signature);
        }
        t.payer = payers[_roll(dice, 2)];
        t.token = tokens[1];
        return _strayPermit(t, time + 1 hours);
    }

    /// @dev A permit that the payer really gave, for terms that it did not sign.
    function _strayPermit(IPaymentEscrow.PaymentTerms memory t, uint256 deadline) private view returns (bytes memory) {
        bytes memory signature = _signHash(t.operator, _id(t));
        bytes32 digest = TrickToken(t.token).permitDigest(t.payer, address(escrow), t.amount, deadline);
        (uint8 v, bytes32 r, bytes32 s) = cheats.sign(keyOf[t.payer], digest);
        return abi.encodeCall(IPaymentEscrow.authorizeWithPermit, (t, signature, signature, deadline, v, r, s));
    }

    function _withAllowance(IPaymentEscrow.PaymentTerms memory t, bytes memory payerSignature)
        private
        view
        returns (bytes memory)
    {
        return abi.encodeCall(
            IPaymentEscrow.authorizeWithAllowance, (t, _signHash(t.operator, _id(t)), payerSignature)
        );
    }

    function _receiveCall(IPaymentEscrow.PaymentTerms memory t, address signer, bytes32 nonce)
        private
        view
        returns (bytes memory)
    {
        address token = tokens[1];
        bytes32 digest =
            TrickToken(token).receiveDigest(t.payer, address(escrow), t.amount, 0, time + 1 hours, nonce);
        t.token = token;
        return abi.encodeCall(
            IPaymentEscrow.authorizeWithReceive,
            (t, _signHash(t.operator, _id(t)), time + 1 hours, _sign(signer, digest))
        );
    }

    /// @dev Once collected, whatever became of it, the same consents bring nothing more.
    function replay(uint256 seed) external {
        Dice memory dice = _begin(Op.REPLAY, seed);
        if (ids.length == 0) return;
        bytes32 id = ids[_roll(dice, ids.length)];
        IPaymentEscrow.PaymentTerms memory t = termsOf[id];
        bool native = t.token == address(0);
        if (!native) _allow(t.payer, t.token, type(uint256).max);
        bool ok = native || _roll(dice, 2) == 0
            ? _call(
                t.payer,
                native ? t.amount : 0,
                GAS,
                abi.encodeCall(IPaymentEscrow.authorize, (t, _signHash(t.operator, id)))
            )
            : _call(thief, 0, GAS, _withAllowance(t, _signHash(t.payer, id)));
        _refused(Op.REPLAY, ok, "3: one id was collected twice");
    }

    /// @dev Consents for this contract on this chain, brought to its twin or seen from another chain.
    function replayElsewhere(uint256 seed) external {
        Dice memory dice = _begin(Op.REPLAY_ELSEWHERE, seed);
        IPaymentEscrow.PaymentTerms memory t = _terms(dice, tokens[1]);
        bytes memory data = _withAllowance(t, _signHash(t.payer, _id(t)));
        _allow(t.payer, t.token, type(uint256).max);
        bool ok;
        if (_roll(dice, 2) == 0) {
            cheats.prank(t.payer);
            TrickToken(t.token).approve(address(twin), type(uint256).max);
            cheats.prank(thief);
            (ok,) = address(twin).call{gas: GAS}(data);
        } else {
            cheats.chainId(chain + 1);
            ok = _call(thief, 0, GAS, data);
            cheats.chainId(chain);
        }
        _must(!ok, "10: consents opened another contract or chain");
        ++successes[uint256(Op.REPLAY_ELSEWHERE)];
    }

    /// @dev Every operation at a moment when it would go through, called by somebody who may not.
    function actWithoutRight(uint256 seed) external {
        Dice memory dice = _begin(Op.ACT_WITHOUT_RIGHT, seed);
        address caller = _anybody(dice);
        if (_roll(dice, 6) == 0) return _actOnConsent(dice, caller);
        (bool found, bytes32 id) = _pickOpen(dice);
        if (!found) return;
        IPaymentEscrow.PaymentTerms memory t = termsOf[id];
        uint128 left = payments[id].left;
        bool manages = caller == t.operator || caller == t.merchant;
        bool disputed = payments[id].disputedAt != 0;
        bytes memory data;
        uint256 act = _roll(dice, 3);
        if (payments[id].status == IPaymentEscrow.Status.AUTHORIZED) {
            if (manages) return;
            data = act == 0
                ? abi.encodeCall(IPaymentEscrow.void, (t))
                : abi.encodeCall(IPaymentEscrow.capture, (t, left, left));
        } else if (act == 0) {
            if (manages) return;
            data = abi.encodeCall(IPaymentEscrow.refund, (t, left, left));
        } else if (!disputed) {
            if (caller == t.payer || !_disputable(id)) return;
            data = abi.encodeCall(IPaymentEscrow.dispute, (t));
        } else if (act == 1) {
            if (caller == t.arbiter) return;
            data = abi.encodeCall(IPaymentEscrow.resolve, (t, uint16(_roll(dice, 2) * 10_000)));
        } else {
            if (manages) return;
            data = abi.encodeCall(IPaymentEscrow.concede, (t));
        }
        _refused(Op.ACT_WITHOUT_RIGHT, _call(caller, 0, GAS, data), "4: somebody acted without the right to");
    }

    function _actOnConsent(Dice memory dice, address caller) private {
        if (consentIds.length == 0) return;
        IPaymentEscrow.RecurringConsent memory c = consentOf[consentIds[_roll(dice, consentIds.length)]];
        if (caller == c.payer) return;
        bool ok = _call(caller, 0, GAS, abi.encodeCall(IPaymentEscrow.revoke, (c)));
        _refused(Op.ACT_WITHOUT_RIGHT, ok, "13: a stranger revoked a consent");
    }

    function expectWrongLeft(uint256 seed) external {
        Dice memory dice = _begin(Op.EXPECT_WRONG_LEFT, seed);
        (bool found, bytes32 id) = _pickOpen(dice);
        if (!found) return;
        uint128 left = payments[id].left;
        bool hold = payments[id].status == IPaymentEscrow.Status.AUTHORIZED;
        if (hold && time > termsOf[id].captureBy) return;
        uint128 wrong = _roll(dice, 2) == 0 ? left + 1 : left - 1;
        uint128 amount = uint128(1 + _roll(dice, left));
        bool ok = _call(
            _manager(dice, id),
            0,
            GAS,
            hold
                ? abi.encodeCall(IPaymentEscrow.capture, (termsOf[id], amount, wrong))
                : abi.encodeCall(IPaymentEscrow.refund, (termsOf[id], amount, wrong))
        );
        _refused(Op.EXPECT_WRONG_LEFT, ok, "12: a wrong expectedLeft went through");
    }

    /// @dev A payment's terms with one field in the caller's favour: another id, with nothing in it.
    function forgeTerms(uint256 seed) external {
        Dice memory dice = _begin(Op.FORGE_TERMS, seed);
        (bool found, bytes32 id) = _pickOpen(dice);
        if (!found) return;
        IPaymentEscrow.PaymentTerms memory t = termsOf[id];
        uint128 left = payments[id].left;
        uint256 trick = _roll(dice, 6);
        if (trick == 0) t.merchant = thief;
        else if (trick == 1) t.operator = thief;
        else if (trick == 2) t.payer = thief;
        else if (trick == 3) t.arbiter = thief;
        else if (trick == 4) (t.captureBy, t.timelock) = (t.captureBy == 0 ? 1 : 0, 0);
        else t.token = t.token == tokens[1] ? tokens[2] : tokens[1];
        address caller = trick == 5 || trick == 4 ? t.operator : thief;
        uint256 act = _roll(dice, 5);
        bytes memory data;
        if (act == 0) data = abi.encodeCall(IPaymentEscrow.void, (t));
        else if (act == 1) data = abi.encodeCall(IPaymentEscrow.reclaim, (t));
        else if (act == 2) data = abi.encodeCall(IPaymentEscrow.settle, (t));
        else if (act == 3) data = abi.encodeCall(IPaymentEscrow.refund, (t, left, left));
        else data = abi.encodeCall(IPaymentEscrow.resolve, (t, 0));
        _refused(Op.FORGE_TERMS, _call(caller, 0, GAS, data), "4: forged terms moved money");
    }

    /// @dev Coin with a token's payment, too little or too much of it with its own, or sent without a call.
    function payWrongValue(uint256 seed) external {
        Dice memory dice = _begin(Op.PAY_WRONG_VALUE, seed);
        bool native = _roll(dice, 2) == 0;
        IPaymentEscrow.PaymentTerms memory t = _terms(dice, native ? address(0) : tokens[1]);
        _allow(t.payer, t.token, type(uint256).max);
        uint256 value = native ? t.amount + 1 - 2 * _roll(dice, 2) : 1 + _roll(dice, 2) * (t.amount - 1);
        bool empty = _roll(dice, 4) == 0;
        bytes memory data = abi.encodeCall(IPaymentEscrow.authorize, (t, _signHash(t.operator, _id(t))));
        bool ok = _call(t.payer, value == 0 && empty ? 1 : value, GAS, empty ? bytes("") : data);
        _refused(Op.PAY_WRONG_VALUE, ok, "1: a wrong value was kept");
    }

    /// @dev A token's credit goes to its recipient, the coin's where its recipient says, and nothing goes elsewhere.
    function claim(uint256 seed) external {
        Dice memory dice = _begin(Op.CLAIM, seed);
        (bool found, address recipient, address token) = _pickCredit(dice);
        // One time in eight a stranger claims what is another's.
        if (!found || _roll(dice, 8) == 0) recipient = _anybody(dice);
        if (!found) token = _one(dice, tokens);
        else if (_roll(dice, 2) == 0) _relent(token, recipient);
        found = credits[recipient][token] > 0;
        address to = _roll(dice, 3) == 0 ? refuge : _roll(dice, 4) == 0 ? _anybody(dice) : recipient;
        // The contract that holds it all, and nobody, are refused as targets.
        if (_roll(dice, 12) == 0) to = _roll(dice, 2) == 0 ? address(escrow) : address(0);
        bool allowed = token == address(0) ? to != address(escrow) && to != address(0) : to == recipient;
        uint8 takes = _takes(token, to);
        bool ok = _call(recipient, 0, GAS, abi.encodeCall(IPaymentEscrow.claim, (token, to)));
        bool expected = found && allowed && (takes == 1 || (takes == 2 && ok));
        if (_agrees(Op.CLAIM, ok, expected, "4: claim")) _claimed(recipient, token, to);
    }

    /// @dev Anybody, with as little gas as it likes, has a recipient paid; and can choose nothing about it.
    function claimFor(uint256 seed) external {
        Dice memory dice = _begin(Op.CLAIM_FOR, seed);
        (bool found, address recipient, address token) = _pickCredit(dice);
        if (!found) (recipient, token) = (_anybody(dice), _one(dice, tokens));
        else if (_roll(dice, 2) == 0) _relent(token, recipient);
        uint256 gasLimit = _roll(dice, 4) == 0 ? 20_000 + _roll(dice, 500_000) : GAS;
        uint8 takes = _takes(token, recipient);
        bool ok = _call(
            _anybody(dice), 0, gasLimit, abi.encodeCall(IPaymentEscrow.claimFor, (recipient, token))
        );
        bool claimable = found && takes != 0;
        bool expected = claimable && (takes == 1 && gasLimit == GAS || ok);
        if (_agrees(Op.CLAIM_FOR, ok, expected, "4: claim for another")) _claimed(recipient, token, recipient);
    }

    /// @dev What kept the recipient from being paid is over.
    function _relent(address token, address recipient) private {
        if (token != address(0)) {
            TrickToken(token).setPaused(false);
            TrickToken(token).setBlocked(recipient, false);
            TrickToken(token).setBlocked(address(escrow), false);
        } else if (_isAccount(recipient)) {
            Account(payable(recipient)).setMode(Account.Mode.ACCEPT, address(0), "");
        }
    }

    function _claimed(address recipient, address token, address to) internal {
        uint256 amount = credits[recipient][token];
        credits[recipient][token] = 0;
        _emittedClaim(recipient, token, to, amount);
        owned[address(escrow)][token] -= amount;
        owned[to][token] += _reaches(token, amount);
        _gift(token, to, _reaches(token, amount));
    }

    /// @dev Books what reached a payer from elsewhere, so that invariant 5 can set it apart.
    function _gift(address token, address to, uint256 amount) private {
        for (uint256 i; i < payers.length; ++i) {
            if (payers[i] == to) returned[to][token] += amount;
        }
    }

    function _pickCredit(Dice memory dice) private view returns (bool, address, address) {
        uint256 count = credited.length;
        uint256 from = _roll(dice, count + 1);
        for (uint256 i; i < count; ++i) {
            Credit storage c = credited[(from + i) % count];
            if (credits[c.recipient][c.token] > 0) return (true, c.recipient, c.token);
        }
        return (false, address(0), address(0));
    }

    /// @dev Blacklists, a token's new fee, and accounts that change how they take the coin.
    function blacklist(uint256 seed) external {
        Dice memory dice = _begin(Op.BLACKLIST, seed);
        // Sometimes things get better, or nothing would be paid in the end.
        bool worse = _roll(dice, 3) != 0;
        (address who, address token) = _victim(dice, worse);
        if (_roll(dice, 20) == 0) who = _one(dice, everybody);
        if (_roll(dice, 8) == 0) {
            TrickToken(tokens[1 + uint8(TrickToken.Kind.FEE)]).setFee(worse ? _roll(dice, 1000) : 0);
        } else if (_isAccount(who) && (token == address(0) || _roll(dice, 2) == 0)) {
            Account(payable(who)).setMode(
                worse ? Account.Mode(1 + _roll(dice, 3)) : Account.Mode.ACCEPT, address(0), ""
            );
        } else {
            if (token == address(0)) token = tokens[1 + _roll(dice, tokens.length - 1)];
            TrickToken(token).setBlocked(who, worse);
        }
        ++successes[uint256(Op.BLACKLIST)];
    }

    /// @dev A recipient of an open payment, a recipient that a failed push credited, or any other account.
    function _victim(Dice memory dice, bool worse) private view returns (address who, address token) {
        uint256 choice = _roll(dice, 6);
        (bool found, bytes32 id) = _pickOpen(dice);
        if (worse && found && _roll(dice, 2) == 0) {
            IPaymentEscrow.PaymentTerms memory t = termsOf[id];
            return (choice < 2 ? t.payer : choice < 5 ? t.merchant : t.feeRecipient, t.token);
        }
        if (!worse && _roll(dice, 2) == 0) {
            (found, who, token) = _pickCredit(dice);
            if (found) return (who, token);
        }
        who = choice < 3 ? _one(dice, payers) : choice < 5 ? _one(dice, merchants) : _one(dice, feeRecipients);
        token = _one(dice, tokens);
    }

    /// @dev An issuer stops every transfer of its token, or lets them go on.
    function pause(uint256 seed) external {
        Dice memory dice = _begin(Op.PAUSE, seed);
        TrickToken token = TrickToken(tokens[1 + _roll(dice, tokens.length - 1)]);
        // Mostly for a short while, or little would ever be paid.
        bool value = _roll(dice, 4) == 0;
        if (token.paused() == value) return;
        token.setPaused(value);
        ++successes[uint256(Op.PAUSE)];
    }

    /// @dev From now on the re-entrant token, or a merchant's account, calls the escrow while it is being paid.
    function armReentry(uint256 seed) external {
        Dice memory dice = _begin(Op.ARM_REENTRY, seed);
        (bool found, bytes32 id) = _pickOpen(dice);
        // Where nobody has a credit this fails anyway; where somebody has, only the guard is in its way.
        (, address recipient, address token) = _pickCredit(dice);
        bytes memory data = abi.encodeCall(IPaymentEscrow.claimFor, (recipient, token));
        if (_roll(dice, 3) == 0) {
            IPaymentEscrow.PaymentTerms memory t = _terms(dice, tokens[1]);
            data = _withAllowance(t, _signHash(t.payer, _id(t)));
            // Signed, but meant for no booked payment: going through inside another call is the breach.
            _allow(t.payer, t.token, type(uint256).max);
        } else if (found) {
            (, data) = _publicCall(id);
        }
        if (_roll(dice, 2) == 0) {
            TrickToken(tokens[1 + uint8(TrickToken.Kind.REENTRANT)]).setHook(address(escrow), data);
        } else {
            if (found && termsOf[id].merchant == merchants[1]) {
                uint128 left = payments[id].left;
                data = payments[id].status == IPaymentEscrow.Status.AUTHORIZED
                    ? abi.encodeCall(IPaymentEscrow.void, (termsOf[id]))
                    : abi.encodeCall(IPaymentEscrow.refund, (termsOf[id], left, left));
            }
            Account(payable(merchants[1])).setMode(Account.Mode.REENTER, address(escrow), data);
        }
        ++successes[uint256(Op.ARM_REENTRY)];
    }

    /// @dev Money that nobody paid in lies in the escrow, and confuses no book.
    function donate(uint256 seed) external {
        Dice memory dice = _begin(Op.DONATE, seed);
        address token = _one(dice, tokens);
        uint256 amount = 1 + _roll(dice, 1e20);
        if (token == address(0)) cheats.deal(address(escrow), address(escrow).balance + amount);
        else TrickToken(token).mint(address(escrow), amount);
        owned[address(escrow)][token] += amount;
        donated[token] += amount;
        ++successes[uint256(Op.DONATE)];
    }
}
