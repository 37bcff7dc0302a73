// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {AuthorizeHandler} from "./AuthorizeHandler.sol";
import {cheats} from "./Cheats.sol";
import {Dice} from "./World.sol";

/// @notice A payment's life after authorization, called by those who may, in time and out of it.
abstract contract LifecycleHandler is AuthorizeHandler {
    function capture(uint256 seed) external {
        Dice memory dice = _begin(Op.CAPTURE, seed);
        (bool found, bytes32 id) = _pick(dice, IPaymentEscrow.Status.AUTHORIZED, false);
        if (!found) return;
        uint128 left = payments[id].left;
        uint128 amount = _amount(dice, left);
        bool expected = time <= termsOf[id].captureBy && amount > 0 && amount <= left;
        bool ok = _call(
            _manager(dice, id), 0, GAS, abi.encodeCall(IPaymentEscrow.capture, (termsOf[id], amount, left))
        );
        if (!_agrees(Op.CAPTURE, ok, expected, "7: capture")) return;
        payments[id].status = IPaymentEscrow.Status.CAPTURED;
        payments[id].left = amount;
        payments[id].capturedAt = uint40(time);
        _emitted(IPaymentEscrow.Captured.selector, id, abi.encode(amount, left - amount, amount));
        _distribute(id, left - amount, 0, 0);
    }

    function void(uint256 seed) external {
        Dice memory dice = _begin(Op.VOID, seed);
        (bool found, bytes32 id) = _pick(dice, IPaymentEscrow.Status.AUTHORIZED, false);
        if (!found) return;
        bool ok = _call(_manager(dice, id), 0, GAS, abi.encodeCall(IPaymentEscrow.void, (termsOf[id])));
        if (_agrees(Op.VOID, ok, true, "void")) _voided(id);
    }

    function reclaim(uint256 seed) external {
        Dice memory dice = _begin(Op.RECLAIM, seed);
        (bool found, bytes32 id) = _pick(dice, IPaymentEscrow.Status.AUTHORIZED, false);
        if (!found) return;
        bool ok = _call(_anybody(dice), 0, GAS, abi.encodeCall(IPaymentEscrow.reclaim, (termsOf[id])));
        if (_agrees(Op.RECLAIM, ok, time > termsOf[id].captureBy, "7: reclaim")) _reclaimed(id);
    }

    function refund(uint256 seed) external {
        Dice memory dice = _begin(Op.REFUND, seed);
        (bool found, bytes32 id) = _pick(dice, IPaymentEscrow.Status.CAPTURED, _roll(dice, 3) == 0);
        if (!found) return;
        uint128 left = payments[id].left;
        uint128 amount = _amount(dice, left);
        bool ok = _call(
            _manager(dice, id), 0, GAS, abi.encodeCall(IPaymentEscrow.refund, (termsOf[id], amount, left))
        );
        if (_agrees(Op.REFUND, ok, amount > 0 && amount <= left, "refund")) _refunded(id, amount);
    }

    function settle(uint256 seed) external {
        Dice memory dice = _begin(Op.SETTLE, seed);
        (bool found, bytes32 id) = _pick(dice, IPaymentEscrow.Status.CAPTURED, _roll(dice, 8) == 0);
        if (!found) return;
        bool ok = _call(_anybody(dice), 0, GAS, abi.encodeCall(IPaymentEscrow.settle, (termsOf[id])));
        bool expected = time >= _settleableAt(id) && payments[id].disputedAt == 0;
        if (_agrees(Op.SETTLE, ok, expected, "7: settle")) _settled(id);
    }

    function dispute(uint256 seed) external {
        Dice memory dice = _begin(Op.DISPUTE, seed);
        (bool found, bytes32 id) = _pick(dice, IPaymentEscrow.Status.CAPTURED, _roll(dice, 8) == 0);
        if (!found) return;
        bool ok = _call(termsOf[id].payer, 0, GAS, abi.encodeCall(IPaymentEscrow.dispute, (termsOf[id])));
        if (_agrees(Op.DISPUTE, ok, _disputable(id), "7: dispute")) _disputed(id);
    }

    function disputeWithSignature(uint256 seed) external {
        Dice memory dice = _begin(Op.DISPUTE_WITH_SIGNATURE, seed);
        (bool found, bytes32 id) = _pick(dice, IPaymentEscrow.Status.CAPTURED, _roll(dice, 8) == 0);
        if (!found) return;
        // One time in five the signature is a stranger's, one time in five it is for another chain.
        uint256 fault = _roll(dice, 5);
        bool signed = fault > 1;
        if (fault == 1) cheats.chainId(chain + 1);
        bytes memory signature =
            _signHash(fault == 0 ? stranger : termsOf[id].payer, keccak256(abi.encode(DISPUTE_TYPE, id)));
        cheats.chainId(chain);
        bool ok = _call(
            _anybody(dice), 0, GAS, abi.encodeCall(IPaymentEscrow.disputeWithSignature, (termsOf[id], signature))
        );
        if (_agrees(Op.DISPUTE_WITH_SIGNATURE, ok, signed && _disputable(id), "7: dispute by signature")) _disputed(id);
    }

    function resolve(uint256 seed) external {
        Dice memory dice = _begin(Op.RESOLVE, seed);
        (bool found, bytes32 id) = _pick(dice, IPaymentEscrow.Status.CAPTURED, _roll(dice, 8) != 0);
        if (!found || termsOf[id].arbiter == address(0)) return;
        uint16 bps = uint16(_roll(dice, 3) == 0 ? 10_000 * _roll(dice, 2) : _roll(dice, 10_002));
        bool ok = _call(arbiter, 0, GAS, abi.encodeCall(IPaymentEscrow.resolve, (termsOf[id], bps)));
        bool expected = payments[id].disputedAt != 0 && bps <= 10_000;
        if (_agrees(Op.RESOLVE, ok, expected, "resolve")) _resolved(id, IPaymentEscrow.Resolution.ARBITER, bps);
    }

    function concede(uint256 seed) external {
        Dice memory dice = _begin(Op.CONCEDE, seed);
        (bool found, bytes32 id) = _pick(dice, IPaymentEscrow.Status.CAPTURED, _roll(dice, 8) != 0);
        if (!found) return;
        bool ok = _call(_manager(dice, id), 0, GAS, abi.encodeCall(IPaymentEscrow.concede, (termsOf[id])));
        if (_agrees(Op.CONCEDE, ok, payments[id].disputedAt != 0, "concede")) {
            _resolved(id, IPaymentEscrow.Resolution.CONCEDED, 10_000);
        }
    }

    function resolveByTimeout(uint256 seed) external {
        Dice memory dice = _begin(Op.RESOLVE_BY_TIMEOUT, seed);
        (bool found, bytes32 id) = _pick(dice, IPaymentEscrow.Status.CAPTURED, _roll(dice, 8) != 0);
        if (!found) return;
        bool ok = _call(_anybody(dice), 0, GAS, abi.encodeCall(IPaymentEscrow.resolveByTimeout, (termsOf[id])));
        bool expected = payments[id].disputedAt != 0 && time >= _timesOutAt(id);
        if (_agrees(Op.RESOLVE_BY_TIMEOUT, ok, expected, "7: resolve by timeout")) {
            _resolved(id, IPaymentEscrow.Resolution.TIMEOUT, termsOf[id].timeoutPayerBps);
        }
    }

    /// @dev A public call with little gas either does all it should for those who can be paid, or nothing.
    function starveOfGas(uint256 seed) external {
        Dice memory dice = _begin(Op.STARVE_OF_GAS, seed);
        (bool found, bytes32 id) = _pickOpen(dice);
        if (!found) return;
        (bool ripe, bytes memory data) = _publicCall(id);
        if (!ripe) return;
        uint256 gasLimit = 20_000 + _roll(dice, 500_000);
        if (!_call(stranger, 0, gasLimit, data)) return;
        ++successes[uint256(Op.STARVE_OF_GAS)];
        _emptied(id);
    }

    /// @dev To a boundary of some payment, a second before or after it, or some time on.
    function passTime(uint256 seed) external {
        Dice memory dice = _begin(Op.PASS_TIME, seed);
        (bool found, bytes32 id) = _pickOpen(dice);
        uint256 target = time + _roll(dice, _roll(dice, 2) == 0 ? 1 hours : 8 days);
        if (found && _roll(dice, 4) != 0) {
            uint256 boundary = _boundary(dice, id) + _roll(dice, 3);
            if (boundary > time) target = boundary - 1;
        }
        if (target < time) return;
        time = target;
        cheats.warp(target);
        ++successes[uint256(Op.PASS_TIME)];
    }

    /// @dev A fork: from now on the chain has another id, sometimes one that it had before. No payment may notice.
    function changeChainId(uint256 seed) external {
        Dice memory dice = _begin(Op.CHANGE_CHAIN_ID, seed);
        uint256 next = 31_337 + _roll(dice, 4);
        if (next == chain) return;
        chain = next;
        cheats.chainId(next);
        ++successes[uint256(Op.CHANGE_CHAIN_ID)];
    }

    /// @dev The one public call that empties this payment, and whether its time has come.
    function _publicCall(bytes32 id) internal view returns (bool ripe, bytes memory data) {
        ripe = time >= emptiesAt(id);
        if (payments[id].status == IPaymentEscrow.Status.AUTHORIZED) {
            data = abi.encodeCall(IPaymentEscrow.reclaim, (termsOf[id]));
        } else if (payments[id].disputedAt != 0) {
            data = abi.encodeCall(IPaymentEscrow.resolveByTimeout, (termsOf[id]));
        } else {
            data = abi.encodeCall(IPaymentEscrow.settle, (termsOf[id]));
        }
    }

    /// @dev Books what that call does.
    function _emptied(bytes32 id) internal {
        if (payments[id].status == IPaymentEscrow.Status.AUTHORIZED) _reclaimed(id);
        else if (payments[id].disputedAt == 0) _settled(id);
        else _resolved(id, IPaymentEscrow.Resolution.TIMEOUT, termsOf[id].timeoutPayerBps);
    }

    /// @notice The second from which anybody can empty this payment.
    function emptiesAt(bytes32 id) public view returns (uint256) {
        if (payments[id].status == IPaymentEscrow.Status.AUTHORIZED) return uint256(termsOf[id].captureBy) + 1;
        return payments[id].disputedAt == 0 ? _settleableAt(id) : _timesOutAt(id);
    }

    function _settleableAt(bytes32 id) internal view returns (uint256) {
        return uint256(payments[id].capturedAt) + termsOf[id].timelock;
    }

    function _timesOutAt(bytes32 id) internal view returns (uint256) {
        return uint256(payments[id].disputedAt) + termsOf[id].disputeTimeout;
    }

    function _disputable(bytes32 id) internal view returns (bool) {
        return payments[id].disputedAt == 0 && time < uint256(payments[id].capturedAt) + termsOf[id].disputeWindow;
    }

    function _boundary(Dice memory dice, bytes32 id) private view returns (uint256) {
        if (payments[id].status == IPaymentEscrow.Status.AUTHORIZED) return termsOf[id].captureBy;
        if (payments[id].disputedAt != 0) return _timesOutAt(id);
        if (_roll(dice, 2) == 0) return _settleableAt(id);
        return uint256(payments[id].capturedAt) + termsOf[id].disputeWindow;
    }

    /// @dev Zero and one too many among the sums, and all of it often.
    function _amount(Dice memory dice, uint128 left) private pure returns (uint128) {
        uint256 choice = _roll(dice, 12);
        if (choice == 0) return 0;
        if (choice == 1) return left + 1;
        return choice < 5 ? left : uint128(1 + _roll(dice, left));
    }

    function _manager(Dice memory dice, bytes32 id) internal view returns (address) {
        return _roll(dice, 2) == 0 ? termsOf[id].operator : termsOf[id].merchant;
    }

    function _anybody(Dice memory dice) internal view returns (address) {
        return everybody[2 + _roll(dice, everybody.length - 2)];
    }

    function _voided(bytes32 id) internal {
        uint128 left = payments[id].left;
        _end(id, IPaymentEscrow.Status.VOIDED);
        _emitted(IPaymentEscrow.Voided.selector, id, abi.encode(left, 0));
        _distribute(id, left, 0, 0);
    }

    function _reclaimed(bytes32 id) internal {
        uint128 left = payments[id].left;
        _end(id, IPaymentEscrow.Status.RECLAIMED);
        _emitted(IPaymentEscrow.Reclaimed.selector, id, abi.encode(left, 0));
        _distribute(id, left, 0, 0);
    }

    function _refunded(bytes32 id, uint128 amount) internal {
        payments[id].left -= amount;
        uint128 left = payments[id].left;
        if (left == 0) _end(id, IPaymentEscrow.Status.REFUNDED);
        _emitted(IPaymentEscrow.Refunded.selector, id, abi.encode(amount, left));
        _distribute(id, amount, 0, 0);
    }

    function _settled(bytes32 id) internal {
        uint256 left = payments[id].left;
        uint256 fee = left * termsOf[id].feeBps / 10_000;
        _end(id, IPaymentEscrow.Status.SETTLED);
        _emitted(IPaymentEscrow.Settled.selector, id, abi.encode(left - fee, fee, 0));
        _distribute(id, 0, left - fee, fee);
    }

    function _disputed(bytes32 id) internal {
        touched = id;
        payments[id].disputedAt = uint40(time);
        _emitted(IPaymentEscrow.Disputed.selector, id, abi.encode(payments[id].left));
    }

    function _resolved(bytes32 id, IPaymentEscrow.Resolution how, uint16 payerBps) internal {
        uint256 left = payments[id].left;
        uint256 back = left * payerBps / 10_000;
        uint256 fee = (left - back) * termsOf[id].feeBps / 10_000;
        _end(id, IPaymentEscrow.Status.RESOLVED);
        _emitted(
            IPaymentEscrow.Resolved.selector, id, abi.encode(how, payerBps, back, left - back - fee, fee, 0)
        );
        _distribute(id, back, left - back - fee, fee);
    }
}
