import type { Kernel } from '../scripts/check-kernel.ts';

/** One edit of a kernel that breaks a property: a fragment found exactly once, and what stands there instead. */
export type KernelMutant = {
  name: string;
  kernel: Kernel;
  find: string;
  replace: string;
  /** The property that no longer holds. */
  breaks:
    | 'conservation'
    | 'final states'
    | 'one charge a period, at most the cap'
    | 'signed recipients'
    | 'fee bound'
    | 'usable parties'
    | 'reserved deposits'
    | 'reachable';
  /** Part of the fast subset. */
  quick?: true;
};

/** A claim that no payment comes this far. The refutation shows that the proofs do not hold for want of a payment. */
const unreachable = (status: string): KernelMutant => ({
  name: `no payment is ${status}`,
  kernel: 'PaymentKernel',
  find: 'assert(_mayFollow(before, status));',
  replace: `assert(status != Status.${status});`,
  breaks: 'reachable',
});

/** Of payments and consents. Those of credits and deposits are in money-kernel-mutants.ts. */
export const paymentKernelMutants: readonly KernelMutant[] = [
  unreachable('AUTHORIZED'),
  unreachable('VOIDED'),
  unreachable('RECLAIMED'),
  unreachable('REFUNDED'),
  unreachable('SETTLED'),
  unreachable('RESOLVED'),
  {
    name: 'the rest of a capture kept',
    kernel: 'PaymentKernel',
    find: '_push(Role.PAYER, payer, returned);',
    replace: '',
    breaks: 'conservation',
  },
  {
    name: 'more than is left',
    kernel: 'PaymentKernel',
    find: 'require(amount <= left);',
    replace: '',
    breaks: 'conservation',
  },
  {
    name: 'a refund that stays',
    kernel: 'PaymentKernel',
    find: '_write(rest, capturedAt, disputedAt, rest == 0',
    replace: '_write(left, capturedAt, disputedAt, rest == 0',
    breaks: 'conservation',
  },
  {
    name: 'a void that pays nobody',
    kernel: 'PaymentKernel',
    find: `_close(Status.VOIDED);
        _push(Role.PAYER, payer, amount);`,
    replace: '_close(Status.VOIDED);',
    breaks: 'conservation',
  },
  {
    name: 'a reclaim that pays twice',
    kernel: 'PaymentKernel',
    find: `_close(Status.RECLAIMED);
        _push(Role.PAYER, payer, amount);`,
    replace: `_close(Status.RECLAIMED);
        _push(Role.PAYER, payer, amount);
        _push(Role.PAYER, payer, amount);`,
    breaks: 'conservation',
  },
  {
    name: 'the fee on top of the whole',
    kernel: 'PaymentKernel',
    find: '_close(Status.SETTLED);\n        _push(Role.MERCHANT, merchant, net);',
    replace: '_close(Status.SETTLED);\n        _push(Role.MERCHANT, merchant, whole);',
    breaks: 'conservation',
  },
  {
    name: 'the share of the payer paid to both',
    kernel: 'PaymentKernel',
    find: 'uint128 forMerchant = _rest(whole, back);',
    replace: 'uint128 forMerchant = whole;',
    breaks: 'conservation',
  },
  {
    name: 'resolved beyond the whole',
    kernel: 'PaymentKernel',
    find: 'require(payerBps <= MAX_BPS);',
    replace: '',
    breaks: 'conservation',
  },
  {
    name: 'a signed share beyond the whole',
    kernel: 'PaymentKernel',
    find: 'require(timeoutPayerBps <= MAX_BPS);',
    replace: '',
    breaks: 'conservation',
  },
  {
    name: 'collected twice',
    kernel: 'PaymentKernel',
    find: 'require(status == Status.NONE);',
    replace: '',
    breaks: 'conservation',
  },
  {
    name: 'collected without being held',
    kernel: 'PaymentKernel',
    find: 'else _write(amountOfTerms, 0, 0, Status.AUTHORIZED);',
    replace: 'else _write(0, 0, 0, Status.AUTHORIZED);',
    breaks: 'conservation',
  },
  {
    name: 'a final status keeps its rest',
    kernel: 'PaymentKernel',
    find: '_write(0, capturedAt, disputedAt, next);',
    replace: '_write(left, capturedAt, disputedAt, next);',
    breaks: 'final states',
  },
  {
    name: 'settled in any state',
    kernel: 'PaymentKernel',
    find: `require(status == Status.CAPTURED);
        require(disputedAt == 0);
        require(block.timestamp >= uint256(capturedAt) + timelock);`,
    replace: 'require(block.timestamp >= uint256(capturedAt) + timelock);',
    breaks: 'final states',
  },
  {
    name: 'resolved in any state',
    kernel: 'PaymentKernel',
    find: `require(status == Status.CAPTURED);
        require(disputedAt != 0);`,
    replace: 'require(disputedAt != 0);',
    breaks: 'final states',
  },
  {
    name: 'disputed in any state',
    kernel: 'PaymentKernel',
    find: `require(status == Status.CAPTURED);
        require(disputedAt == 0);
        require(block.timestamp < uint256(capturedAt) + disputeWindow);`,
    replace: `require(disputedAt == 0);
        require(block.timestamp < uint256(capturedAt) + disputeWindow);`,
    breaks: 'final states',
  },
  {
    name: 'reclaimed in any state',
    kernel: 'PaymentKernel',
    find: `require(status == Status.AUTHORIZED);
        require(block.timestamp > captureBy);`,
    replace: 'require(block.timestamp > captureBy);',
    breaks: 'final states',
  },
  {
    name: 'voided in any state',
    kernel: 'PaymentKernel',
    find: `function void() external proved {
        _requireOperatorOrMerchant();
        require(status == Status.AUTHORIZED);`,
    replace: `function void() external proved {
        _requireOperatorOrMerchant();`,
    breaks: 'final states',
  },
  {
    name: 'captured in any state',
    kernel: 'PaymentKernel',
    find: `require(status == Status.AUTHORIZED);
        require(block.timestamp <= captureBy);`,
    replace: 'require(block.timestamp <= captureBy);',
    breaks: 'final states',
  },
  {
    name: 'refunded in any state',
    kernel: 'PaymentKernel',
    find: `require(status == Status.CAPTURED);
        _requireAmount(amount, expectedLeft);`,
    replace: '_requireAmount(amount, expectedLeft);',
    breaks: 'final states',
  },
  {
    name: 'a refund to the caller',
    kernel: 'PaymentKernel',
    find: `_push(Role.PAYER, payer, amount);
    }

    function settle`,
    replace: `_push(Role.PAYER, msg.sender, amount);
    }

    function settle`,
    breaks: 'signed recipients',
    quick: true,
  },
  {
    name: 'a resolution to the arbiter',
    kernel: 'PaymentKernel',
    find: '_push(Role.PAYER, payer, back);',
    replace: '_push(Role.PAYER, arbiter, back);',
    breaks: 'signed recipients',
  },
  {
    name: 'a settlement to whoever calls',
    kernel: 'PaymentKernel',
    find: '_close(Status.SETTLED);\n        _push(Role.MERCHANT, merchant, net);',
    replace: '_close(Status.SETTLED);\n        _push(Role.MERCHANT, msg.sender, net);',
    breaks: 'signed recipients',
  },
  {
    name: 'the fee to the operator',
    kernel: 'PaymentKernel',
    find: '_close(Status.SETTLED);\n        _push(Role.MERCHANT, merchant, net);\n        _push(Role.FEE_RECIPIENT, feeRecipient, fee);',
    replace:
      '_close(Status.SETTLED);\n        _push(Role.MERCHANT, merchant, net);\n        _push(Role.FEE_RECIPIENT, operator, fee);',
    breaks: 'signed recipients',
  },
  {
    name: 'the token as merchant',
    kernel: 'PaymentKernel',
    find: 'require(!_isSink(merchant));',
    replace: 'require(merchant != escrow);',
    breaks: 'usable parties',
  },
  {
    name: 'the escrow as payer',
    kernel: 'PaymentKernel',
    find: 'require(!_isSink(payer));',
    replace: 'require(payer != token);',
    breaks: 'usable parties',
  },
  {
    name: 'a fee recipient that is a sink',
    kernel: 'PaymentKernel',
    find: 'require(feeRecipient == address(0) ? feeBps == 0 : !_isSink(feeRecipient));',
    replace: 'require(feeRecipient != address(0) || feeBps == 0);',
    breaks: 'usable parties',
  },
  {
    name: 'an operator that judges itself',
    kernel: 'PaymentKernel',
    find: 'require(arbiter != operator);',
    replace: '',
    breaks: 'usable parties',
  },
  {
    name: 'a fee above a tenth',
    kernel: 'PaymentKernel',
    find: 'require(feeBps <= MAX_FEE_BPS);',
    replace: '',
    breaks: 'fee bound',
  },
  {
    name: 'a fee rounded up',
    kernel: 'PaymentKernel',
    find: 'uint128 fee = _feeOf(whole);',
    replace: 'uint128 fee = _feeOf(whole) + 1;',
    breaks: 'fee bound',
    quick: true,
  },
  {
    name: 'a fee on the payer’s share',
    kernel: 'PaymentKernel',
    find: 'uint128 fee = _feeOf(forMerchant);',
    replace: 'uint128 fee = _feeOf(whole);',
    breaks: 'fee bound',
  },
  {
    name: 'shares rounded up',
    kernel: 'SharesKernel',
    find: 'return uint256(amount) * bps / 10_000;',
    replace: 'return (uint256(amount) * bps + 9_999) / 10_000;',
    breaks: 'fee bound',
  },
  {
    name: 'shares in thousandths',
    kernel: 'SharesKernel',
    find: 'return uint256(amount) * bps / 10_000;',
    replace: 'return uint256(amount) * bps / 1_000;',
    breaks: 'conservation',
  },
  {
    name: 'a fee on refunds',
    kernel: 'PaymentKernel',
    find: `_push(Role.PAYER, payer, amount);
    }

    function settle`,
    replace: `_push(Role.FEE_RECIPIENT, feeRecipient, amount);
    }

    function settle`,
    breaks: 'fee bound',
  },
  {
    name: 'no charge is made',
    kernel: 'ConsentKernel',
    find: 'assert(!revokedBefore || (revoked && nextPeriod == nextBefore));',
    replace: 'assert(chargesOfWatched == 0);',
    breaks: 'reachable',
  },
  {
    name: 'a period charged again',
    kernel: 'ConsentKernel',
    find: 'require(period >= nextPeriod);',
    replace: '',
    breaks: 'one charge a period, at most the cap',
    quick: true,
  },
  {
    name: 'the next period not kept',
    kernel: 'ConsentKernel',
    find: 'nextPeriod = period + 1;',
    replace: '',
    breaks: 'one charge a period, at most the cap',
  },
  {
    name: 'the same period stays next',
    kernel: 'ConsentKernel',
    find: 'nextPeriod = period + 1;',
    replace: 'nextPeriod = period;',
    breaks: 'one charge a period, at most the cap',
  },
  {
    name: 'a charge above the cap',
    kernel: 'ConsentKernel',
    find: 'require(amount <= capPerPeriod);',
    replace: '',
    breaks: 'one charge a period, at most the cap',
  },
  {
    name: 'charged after revocation',
    kernel: 'ConsentKernel',
    find: 'require(!revoked);\n        require(period >= nextPeriod);',
    replace: 'require(period >= nextPeriod);',
    breaks: 'final states',
  },
  {
    name: 'a charge for another merchant',
    kernel: 'ConsentKernel',
    find: 'require(rules.merchant == merchant);',
    replace: '',
    breaks: 'signed recipients',
  },
  {
    name: 'a charge with another fee recipient',
    kernel: 'ConsentKernel',
    find: 'require(rules.feeRecipient == feeRecipient);',
    replace: '',
    breaks: 'signed recipients',
  },
  {
    name: 'a charge of another payer',
    kernel: 'ConsentKernel',
    find: 'require(rules.payer == payer);',
    replace: '',
    breaks: 'signed recipients',
  },
];
