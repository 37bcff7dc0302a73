import type { Mutant } from './mutants.ts';

const file = 'PaymentBatch.sol';

const withoutSelector = (name: string, found: string): Mutant => ({
  name: `a batch does not know ${name}`,
  file,
  find: found,
  replace: 'false',
  breaks: 'batch: the six functions that anybody may call',
});

const withSelector = (name: string): Mutant => ({
  name: `a batch knows ${name} too`,
  file,
  find: 'selector == IPaymentEscrow.charge.selector',
  replace: `selector == IPaymentEscrow.${name}.selector || selector == IPaymentEscrow.charge.selector`,
  breaks: 'batch: only the six functions that ask nobody who calls',
});

/** One rule of the batch contract broken at a time. */
export const batchMutants: readonly Mutant[] = [
  withoutSelector('charge', 'selector == IPaymentEscrow.charge.selector'),
  withoutSelector('settle', 'selector == IPaymentEscrow.settle.selector'),
  withoutSelector('reclaim', 'selector == IPaymentEscrow.reclaim.selector'),
  withoutSelector('resolveByTimeout', 'selector == IPaymentEscrow.resolveByTimeout.selector'),
  withoutSelector('claimFor', 'selector == IPaymentEscrow.claimFor.selector'),
  withoutSelector('authorizeFromDeposit', 'selector == IPaymentEscrow.authorizeFromDeposit.selector'),
  withSelector('claim'),
  withSelector('returnDeposit'),
  withSelector('refund'),
  {
    name: 'a batch makes any call',
    file,
    find: 'if (!_isAllowed(bytes4(data))) revert FunctionNotAllowed(index, bytes4(data));',
    replace: '',
    breaks: 'batch: only functions that anybody may call',
    quick: true,
  },
  {
    name: 'a batch calls what has no code',
    file,
    find: 'if (escrow.code.length == 0) revert NotAContract(escrow);',
    replace: '',
    breaks: 'batch: an item is DONE only if it was',
  },
  {
    name: 'the gas floor is not looked at',
    file,
    find: 'if (gasleft() < gasFloor) revert GasBelowFloor(gasleft(), gasFloor);',
    replace: 'gasFloor;',
    breaks: 'batch: no estimate with which nothing is tried',
  },
  {
    name: 'an item gets all the gas there is',
    file,
    find: 'call(gasCap, escrow',
    replace: 'call(gas(), escrow',
    breaks: 'batch: an item costs at most its cap',
    quick: true,
  },
  {
    name: 'an item is tried with less than its cap',
    file,
    find: 'gasCap + gasCap / 63 + data.length + finish',
    replace: 'gasCap + finish',
    breaks: 'batch: the whole cap, or not tried',
    quick: true,
  },
  {
    name: 'an item is tried with any gas',
    file,
    find: 'if (gasBefore < gasCap + gasCap / 63 + data.length + finish) break;',
    replace: '',
    breaks: 'batch: failed and not tried are told apart',
  },
  {
    name: 'nothing is kept to finish with',
    file,
    find: 'gasCap + gasCap / 63 + data.length + finish',
    replace: 'gasCap + gasCap / 63 + data.length',
    breaks: 'batch: what was done is never undone for want of gas',
  },
  {
    name: 'nothing is kept for each outcome',
    file,
    find: 'FINISH_GAS + FINISH_GAS_PER_ITEM * count',
    replace: 'FINISH_GAS - 4_000',
    breaks: 'batch: what was done is never undone for want of gas',
  },
  {
    name: 'copying an item is not paid for',
    file,
    find: 'gasCap + gasCap / 63 + data.length + finish',
    replace: 'gasCap + gasCap / 63 + finish',
    breaks: 'batch: the whole cap, or not tried',
  },
  {
    name: 'what comes after an untried item is tried',
    file,
    find: ' + finish) break;',
    replace: ' + finish) continue;',
    breaks: 'batch: items are tried in their order',
  },
  {
    name: 'failed is done',
    file,
    find: 'bytes1(uint8(Outcome.FAILED))',
    replace: 'bytes1(uint8(Outcome.DONE))',
    breaks: 'batch: an item is DONE only if it was',
    quick: true,
  },
  {
    name: 'the event says nothing',
    file,
    find: 'emit Executed(escrow, outcomes);',
    replace: '',
    breaks: 'batch: outcomes are in the receipt',
  },
  {
    name: 'no gas used is returned',
    file,
    find: 'gasUsed[index] = gasBefore - gasleft();',
    replace: '',
    breaks: 'batch: caps come from simulations',
  },
  {
    name: 'a failed item reverts the others',
    file,
    find: 'done := call(gasCap, escrow, 0, pointer, data.length, 0, 0)',
    replace: `done := call(gasCap, escrow, 0, pointer, data.length, 0, 0)
            if iszero(done) { revert(0, 0) }`,
    breaks: 'batch: a failed item leaves the others done',
    quick: true,
  },
  {
    name: 'return data is copied',
    file,
    find: 'done := call(gasCap, escrow, 0, pointer, data.length, 0, 0)',
    replace: `done := call(gasCap, escrow, 0, pointer, data.length, 0, 0)
            returndatacopy(pointer, 0, returndatasize())`,
    breaks: 'batch: return data costs no more than the cap',
  },
  {
    name: 'items are delegated to',
    file,
    find: 'done := call(gasCap, escrow, 0, pointer, data.length, 0, 0)',
    replace: 'done := delegatecall(gasCap, escrow, pointer, data.length, 0, 0)',
    breaks: 'batch: no delegatecall',
  },
  {
    name: 'a batch takes coin',
    file,
    find: '    /// @dev Only functions that anybody may call',
    replace: `    receive() external payable {}

    /// @dev Only functions that anybody may call`,
    breaks: 'batch: no value',
  },
];
