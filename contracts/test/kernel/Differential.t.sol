// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {ConsentKernel} from "../../kernel/ConsentKernel.sol";
import {CreditKernel} from "../../kernel/CreditKernel.sol";
import {DepositKernel} from "../../kernel/DepositKernel.sol";
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
            _changeMinds();
            _arrive();
            Op op = _roll(2) == 0 ? Op(_roll(OPS)) : _fitting();
            (bool byEscrow, bool byKernel) = _do(op);
            if (byEscrow != byKernel) revert Differs(seed, step, op, byEscrow ? "only escrow accepts" : "only kernel accepts");
            ++(byEscrow ? accepted : refused)[uint256(op)];
            string memory difference = _difference();
            if (bytes(difference).length != 0) revert Differs(seed, step, op, difference);
        }
    }

    /// @dev What some payment's state lets somebody do.
    function _fitting() private returns (Op) {
        PaymentKernel kernel = payments[_roll(payments.length)].kernel;
        PaymentKernel.Status status = kernel.status();
        uint256 choice = _roll(4);
        if (status == PaymentKernel.Status.AUTHORIZED) {
            return choice < 2 ? Op.CAPTURE : choice == 2 ? Op.VOID : Op.RECLAIM;
        }
        if (status != PaymentKernel.Status.CAPTURED) return choice == 0 ? Op.AUTHORIZE_FROM_DEPOSIT : Op.AUTHORIZE;
        if (kernel.disputedAt() == 0) return choice < 2 ? Op.DISPUTE : choice == 2 ? Op.SETTLE : Op.REFUND;
        return choice < 2 ? Op.RESOLVE : choice == 2 ? Op.CONCEDE : Op.RESOLVE_BY_TIMEOUT;
    }

    function _do(Op op) private returns (bool byEscrow, bool byKernel) {
        if (op == Op.CHARGE) return _charge();
        if (op == Op.REVOKE) return _revoke();
        if (op == Op.AUTHORIZE) return _authorize();
        if (op == Op.AUTHORIZE_FROM_DEPOSIT) return _authorizeFromDeposit();
        if (op == Op.RETURN_DEPOSIT) return _returnDeposit();
        if (op == Op.CLAIM) return _claim();
        if (op == Op.CLAIM_FOR) return _claimFor();
        Payment storage payment = payments[_roll(payments.length)];
        address caller = _caller(payment.terms);
        (uint128 amount, uint128 expectedLeft) = _amounts(payment.kernel.left());
        uint16 bps = _bps();
        uint256[3] memory before = _given(payment.kernel);
        byEscrow = _accepts(caller, address(escrow), 0, _escrowCall(op, payment.terms, amount, expectedLeft, bps));
        byKernel = _accepts(caller, address(payment.kernel), 0, _kernelCall(op, amount, expectedLeft, bps));
        _credit(payment, before);
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
        uint256 index = _roll(payments.length);
        Payment storage payment = payments[index];
        IPaymentEscrow.PaymentTerms memory terms = payment.terms;
        // The issuer keeps whoever may not be paid from paying too.
        _setRefusal(payer, false);
        uint256 value = terms.token == address(0) ? terms.amount : 0;
        bytes memory data = abi.encodeCall(escrow.authorize, (terms, _signed(OPERATOR_KEY, payment.id)));
        byEscrow = _accepts(terms.payer, address(escrow), value, data);
        byKernel = _accepts(address(this), address(this), 0, abi.encodeCall(this.authorizeKernel, (index)));
    }

    /// @notice Opens a payment, also for the kernels of its deposits.
    function authorizeKernel(uint256 index) external {
        payments[index].kernel.authorize();
        if (index >= deposits.length) return;
        for (uint256 kind; kind < 2; ++kind) deposits[index].kernels[kind].open();
    }

    function _authorizeFromDeposit() private returns (bool byEscrow, bool byKernel) {
        uint256 index = _roll(deposits.length);
        Payment storage payment = payments[index];
        bytes memory data =
            abi.encodeCall(escrow.authorizeFromDeposit, (payment.terms, _signed(OPERATOR_KEY, payment.id)));
        byEscrow = _accepts(_caller(payment.terms), address(escrow), 0, data);
        byKernel = _accepts(address(this), address(this), 0, abi.encodeCall(this.authorizeKernelFromDeposit, (index)));
    }

    /// @notice Collects a deposit and opens its payment, or neither.
    function authorizeKernelFromDeposit(uint256 index) external {
        payments[index].kernel.authorize();
        uint256 kind = _kind(payments[index].terms.token);
        deposits[index].kernels[kind].authorizeFromDeposit();
        deposits[index].kernels[1 - kind].open();
        payments[index].fromDeposit = true;
    }

    function _returnDeposit() private returns (bool byEscrow, bool byKernel) {
        uint256 index = _roll(deposits.length);
        IPaymentEscrow.PaymentTerms memory terms = payments[index].terms;
        uint256 kind = _kind(terms.token);
        if (_roll(3) == 0) kind = 1 - kind;
        address caller = _caller(terms);
        DepositKernel kernel = deposits[index].kernels[kind];
        // A token's contract takes no coin.
        kernel.refuse(refuses[terms.payer] || (kind == 1 && terms.payer == address(usdc)));
        byEscrow = _accepts(caller, address(escrow), 0, abi.encodeCall(escrow.returnDeposit, (terms, _token(kind))));
        byKernel = _accepts(caller, address(kernel), 0, abi.encodeCall(DepositKernel.returnDeposit, ()));
    }

    /// @dev Mostly a claim of somebody who is owed something, mostly to an account that takes it.
    function _claim() private returns (bool byEscrow, bool byKernel) {
        (address caller, uint256 kind) = _creditor();
        address[8] memory targets =
            [caller, caller, caller, stranger, merchant, operator, address(escrow), address(0)];
        address to = targets[_roll(targets.length)];
        CreditKernel kernel = credits[caller][kind];
        kernel.refuse(refuses[to]);
        uint256 owed = kernel.owed();
        byEscrow = _accepts(caller, address(escrow), 0, abi.encodeCall(escrow.claim, (_token(kind), to)));
        byKernel = _accepts(caller, address(kernel), 0, abi.encodeCall(CreditKernel.claim, (to)));
        if (byKernel) _noteClaim(caller, to, kind, owed);
    }

    function _claimFor() private returns (bool byEscrow, bool byKernel) {
        (address recipient, uint256 kind) = _creditor();
        address caller = _accounts()[_roll(6)];
        CreditKernel kernel = credits[recipient][kind];
        kernel.refuse(refuses[recipient]);
        bytes memory data = abi.encodeCall(escrow.claimFor, (recipient, _token(kind)));
        byEscrow = _accepts(caller, address(escrow), 0, data);
        byKernel = _accepts(caller, address(kernel), 0, abi.encodeCall(CreditKernel.claimFor, ()));
    }

    /// @dev Somebody who is owed something, if anybody is, and often takes it again; now and then anybody.
    function _creditor() private returns (address account, uint256 kind) {
        address[6] memory accounts = _accounts();
        uint256 from = _roll(6);
        (account, kind) = (accounts[from], _roll(2));
        if (_roll(6) == 0) return (account, kind);
        for (uint256 i; i < 6; ++i) {
            uint256 place = (from + i) % 6;
            if (credits[accounts[place / 2]][place % 2].owed() == 0) continue;
            if (_roll(2) == 0) _setRefusal(accounts[place / 2], false);
            return (accounts[place / 2], place % 2);
        }
    }

    function _charge() private returns (bool byEscrow, bool byKernel) {
        uint32 next = consent.kernel.nextPeriod();
        uint32 period = _roll(4) == 0 ? uint32(_roll(4)) : next;
        IPaymentEscrow.PaymentTerms memory terms = _chargeTerms(period);
        bytes32 id = escrow.idOf(terms);
        _setRefusal(payer, false);
        bytes memory data = abi.encodeCall(
            escrow.charge,
            (
                consent.fields,
                period,
                terms,
                _signed(OPERATOR_KEY, _chargeHash(consent.id, period, id)),
                _signed(PAYER_KEY, consent.id)
            )
        );
        byEscrow = _accepts(stranger, address(escrow), 0, data);
        byKernel = _accepts(address(this), address(this), 0, abi.encodeCall(this.chargeKernel, (id, period, terms)));
    }

    /// @notice Charges the consent and opens its payment, or neither.
    function chargeKernel(bytes32 id, uint32 period, IPaymentEscrow.PaymentTerms memory terms) external {
        consent.kernel.charge(period, _rulesOf(terms), terms.amount, terms.captureOnAuthorize);
        PaymentKernel kernel = _newKernel(terms);
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
            held[_kind(payment.terms.token)] += left;
        }
        (bool revoked, uint32 nextPeriod) = escrow.consentState(consent.id);
        if (revoked != consent.kernel.revoked()) return "revoked";
        if (nextPeriod != consent.kernel.nextPeriod()) return "nextPeriod";
        if (_balance(address(escrow), 0) - heldAtStart[0] != held[0] + _owed(0)) return "tokens held";
        if (_balance(address(escrow), 1) - heldAtStart[1] != held[1] + _owed(1)) return "coin held";
        if (_depositsDiffer()) return "a deposit";
        return _balancesDiffer() ? "an account's balance or credit" : "";
    }
}
