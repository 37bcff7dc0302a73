// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {ConsentKernel} from "../../kernel/ConsentKernel.sol";
import {PaymentKernel} from "../../kernel/PaymentKernel.sol";
import {World, cheats} from "./World.sol";

/// @notice Random sequences of calls, each made both to the escrow and to the kernel: both must accept or both refuse,
///         and afterwards states, and what every account owns, must be the same.
contract DifferentialTest is World {
    uint256 private constant STEPS = 32;

    /// @dev Of each operation, how often both accepted it and how often both refused it.
    uint256[OPS] private accepted;
    uint256[OPS] private refused;

    error Differs(uint256 seed, uint256 step, Op op, string what);
    error NeverTried(Op op, string outcome);

    /// @notice KERNEL_SEQUENCES sequences, the first with the seed KERNEL_SEED and each next one with one more.
    function test_kernelDoesWhatTheEscrowDoes() external {
        uint256 seed = cheats.envOr("KERNEL_SEED", uint256(1));
        uint256 sequences = cheats.envOr("KERNEL_SEQUENCES", uint256(100));
        for (uint256 i; i < sequences; ++i) this.sequence(seed + i);
        if (sequences < 100) return;
        for (uint256 op; op < OPS; ++op) {
            if (accepted[op] == 0) revert NeverTried(Op(op), "accepted");
            if (refused[op] == 0) revert NeverTried(Op(op), "refused");
        }
    }

    /// @dev A call of its own, so that its memory is given back.
    function sequence(uint256 seed) external {
        _begin(seed);
        for (uint256 step; step < STEPS; ++step) {
            _passTime();
            // Without a payment that is open nothing else has an effect.
            Op op = _roll(4) == 0 ? Op.AUTHORIZE : Op(_roll(OPS));
            (bool byEscrow, bool byKernel) = _do(op);
            if (byEscrow != byKernel) revert Differs(seed, step, op, byEscrow ? "only escrow accepts" : "only kernel accepts");
            ++(byEscrow ? accepted : refused)[uint256(op)];
            string memory difference = _difference();
            if (bytes(difference).length != 0) revert Differs(seed, step, op, difference);
        }
    }

    function _do(Op op) private returns (bool byEscrow, bool byKernel) {
        if (op == Op.CHARGE) return _charge();
        if (op == Op.REVOKE) return _revoke();
        if (op == Op.AUTHORIZE) return _authorize();
        Payment storage payment = payments[_roll(payments.length)];
        address caller = _caller(payment.terms);
        (uint128 amount, uint128 expectedLeft) = _amounts(payment.kernel.left());
        uint16 bps = _bps();
        return (
            _accepts(caller, address(escrow), 0, _escrowCall(op, payment.terms, amount, expectedLeft, bps)),
            _accepts(caller, address(payment.kernel), 0, _kernelCall(op, amount, expectedLeft, bps))
        );
    }

    function _escrowCall(
        Op op,
        IPaymentEscrow.PaymentTerms memory terms,
        uint128 amount,
        uint128 expectedLeft,
        uint16 bps
    ) private view returns (bytes memory) {
        if (op == Op.CAPTURE) return abi.encodeCall(escrow.capture, (terms, amount, expectedLeft));
        if (op == Op.VOID) return abi.encodeCall(escrow.void, (terms));
        if (op == Op.RECLAIM) return abi.encodeCall(escrow.reclaim, (terms));
        if (op == Op.REFUND) return abi.encodeCall(escrow.refund, (terms, amount, expectedLeft));
        if (op == Op.SETTLE) return abi.encodeCall(escrow.settle, (terms));
        if (op == Op.DISPUTE) return abi.encodeCall(escrow.dispute, (terms));
        if (op == Op.RESOLVE) return abi.encodeCall(escrow.resolve, (terms, bps));
        if (op == Op.CONCEDE) return abi.encodeCall(escrow.concede, (terms));
        return abi.encodeCall(escrow.resolveByTimeout, (terms));
    }

    function _kernelCall(Op op, uint128 amount, uint128 expectedLeft, uint16 bps) private pure returns (bytes memory) {
        if (op == Op.CAPTURE) return abi.encodeCall(PaymentKernel.capture, (amount, expectedLeft));
        if (op == Op.VOID) return abi.encodeCall(PaymentKernel.void, ());
        if (op == Op.RECLAIM) return abi.encodeCall(PaymentKernel.reclaim, ());
        if (op == Op.REFUND) return abi.encodeCall(PaymentKernel.refund, (amount, expectedLeft));
        if (op == Op.SETTLE) return abi.encodeCall(PaymentKernel.settle, ());
        if (op == Op.DISPUTE) return abi.encodeCall(PaymentKernel.dispute, ());
        if (op == Op.RESOLVE) return abi.encodeCall(PaymentKernel.resolve, (bps));
        if (op == Op.CONCEDE) return abi.encodeCall(PaymentKernel.concede, ());
        return abi.encodeCall(PaymentKernel.resolveByTimeout, ());
    }

    /// @dev A payment of this sequence, opened or not: a second authorization must be refused.
    function _authorize() private returns (bool byEscrow, bool byKernel) {
        Payment storage payment = payments[_roll(payments.length)];
        IPaymentEscrow.PaymentTerms memory terms = payment.terms;
        uint256 value = terms.token == address(0) ? terms.amount : 0;
        bytes memory data = abi.encodeCall(escrow.authorize, (terms, _signed(OPERATOR_KEY, payment.id)));
        byEscrow = _accepts(terms.payer, address(escrow), value, data);
        byKernel = _accepts(terms.payer, address(payment.kernel), 0, abi.encodeCall(PaymentKernel.authorize, ()));
    }

    function _charge() private returns (bool byEscrow, bool byKernel) {
        uint32 next = consent.kernel.nextPeriod();
        uint32 period = _roll(4) == 0 ? uint32(_roll(4)) : next;
        IPaymentEscrow.PaymentTerms memory terms = _chargeTerms(period);
        bytes32 id = escrow.idOf(terms);
        bytes memory data = abi.encodeCall(
            escrow.charge,
            (
                consent.fields,
                period,
                terms,
                _signed(OPERATOR_KEY, _chargeDigest(consent.id, period, id)),
                _signed(PAYER_KEY, consent.id)
            )
        );
        byEscrow = _accepts(stranger, address(escrow), 0, data);
        byKernel = _accepts(address(this), address(this), 0, abi.encodeCall(this.chargeKernel, (id, period, terms)));
    }

    /// @notice Charges the consent and opens its payment, or neither.
    function chargeKernel(bytes32 id, uint32 period, IPaymentEscrow.PaymentTerms memory terms) external {
        consent.kernel.charge(period, _rulesOf(terms), terms.amount, terms.captureOnAuthorize);
        PaymentKernel kernel = new PaymentKernel(_kernelTerms(terms), address(0));
        kernel.authorize();
        _keep(id, terms, kernel);
    }

    function _revoke() private returns (bool byEscrow, bool byKernel) {
        address caller = _roll(2) == 0 ? payer : stranger;
        if (_roll(4) != 0) caller = stranger;
        byEscrow = _accepts(caller, address(escrow), 0, abi.encodeCall(escrow.revoke, (consent.fields)));
        byKernel = _accepts(caller, address(consent.kernel), 0, abi.encodeCall(ConsentKernel.revoke, ()));
    }

    /// @dev What differs between escrow and kernel now; empty when nothing does.
    function _difference() private view returns (string memory) {
        uint256[2] memory held;
        for (uint256 i; i < payments.length; ++i) {
            Payment storage payment = payments[i];
            (IPaymentEscrow.Status status, uint128 left, uint40 capturedAt, uint40 disputedAt) =
                escrow.stateOf(payment.id);
            if (uint8(status) != uint8(payment.kernel.status())) return "status";
            if (left != payment.kernel.left()) return "left";
            if (capturedAt != payment.kernel.capturedAt()) return "capturedAt";
            if (disputedAt != payment.kernel.disputedAt()) return "disputedAt";
            held[payment.terms.token == address(0) ? 1 : 0] += left;
        }
        (bool revoked, uint32 nextPeriod) = escrow.consentState(consent.id);
        if (revoked != consent.kernel.revoked()) return "revoked";
        if (nextPeriod != consent.kernel.nextPeriod()) return "nextPeriod";
        if (usdc.balanceOf(address(escrow)) - heldAtStart[0] != held[0]) return "tokens held";
        if (address(escrow).balance - heldAtStart[1] != held[1]) return "coin held";
        return _balancesDiffer() ? "an account's balance" : "";
    }
}
