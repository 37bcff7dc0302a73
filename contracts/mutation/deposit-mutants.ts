import type { Mutant } from './mutants.ts';

/** Rules of deposit addresses broken, in the escrow and in the box. */
export const depositMutants: readonly Mutant[] = [
  {
    name: 'a deposit collected without the operator',
    find: `_requireSignature(digestOf(id), terms.operator, operatorSignature);
        _open(id, terms);
        _collect(id, terms);`,
    replace: `_open(id, terms);
        _collect(id, terms);`,
    breaks: 'two consents: the operator signs the terms',
    quick: true,
  },
  {
    name: 're-entered through a collected deposit',
    find: `        external
        nonReentrant
    {
        bytes32 id = idOf(terms);`,
    replace: `        external
    {
        bytes32 id = idOf(terms);`,
    breaks: '11: guard against re-entry',
  },
  {
    name: 're-entered through a returned deposit',
    find: 'function returnDeposit(PaymentTerms calldata terms, address token) external nonReentrant {',
    replace: 'function returnDeposit(PaymentTerms calldata terms, address token) external {',
    breaks: '11: guard against re-entry',
  },
  {
    name: 'coin from anybody',
    find: 'if (msg.sender != _payingBox) revert UnexpectedCoin(msg.sender, msg.value);',
    replace: '',
    breaks: '1: coin arrives only by authorize and from a box in the same call',
    quick: true,
  },
  {
    name: 'coin while a token is collected',
    find: 'if (token == address(0)) _payingBox = address(box);',
    replace: '_payingBox = address(box);',
    breaks: '1: coin arrives only by authorize and from a box in the same call',
  },
  {
    name: 'coin from a box after the call that collected from it',
    find: '        _payingBox = address(0);\n',
    replace: '',
    breaks: '1: coin arrives only by authorize and from a box in the same call',
  },
  {
    name: 'a deposit below the amount is not named',
    find: 'if (deposited < amount) revert DepositTooLow(deposited, amount);',
    replace: 'deposited;',
    breaks: 'errors carry both numbers',
  },
  {
    name: 'all of the deposit is collected',
    find: 'if (!box.send(token, address(this), amount))',
    replace: 'if (!box.send(token, address(this), deposited))',
    breaks: '15: exactly the amount is collected',
    quick: true,
  },
  {
    name: 'a deposit that did not move is not named',
    find: 'if (!box.send(token, address(this), amount)) revert DepositNotSent(address(box), token, address(this), amount);',
    replace: 'box.send(token, address(this), amount);',
    breaks: 'errors say what failed',
  },
  {
    name: 'anybody returns what may still become the payment',
    find: 'if (reserved && token == terms.token) revert NotOperator(msg.sender, terms.operator);',
    replace: '',
    breaks: 'a stranger cannot undo a payment that is being topped up',
    quick: true,
  },
  {
    name: 'anybody returns it through another address of the token',
    find: 'if (reserved && box.held(terms.token) < kept) revert NotOperator(msg.sender, terms.operator);',
    replace: 'kept;',
    breaks: 'a stranger cannot undo a payment that is being topped up',
  },
  {
    name: 'the operator may not return either',
    find: 'return msg.sender != terms.operator && _states[id].status() == Status.NONE',
    replace: 'return _states[id].status() == Status.NONE',
    breaks: 'until authorizeBy the operator returns a deposit',
  },
  {
    name: 'what is left of a deposit stays reserved',
    find: 'terms.operator && _states[id].status() == Status.NONE && block.timestamp',
    replace: 'terms.operator && block.timestamp',
    breaks: 'after the authorization anybody returns what is left',
  },
  {
    name: 'reserved a second too short',
    find: 'Status.NONE && block.timestamp <= authorizeBy',
    replace: 'Status.NONE && block.timestamp < authorizeBy',
    breaks: '7: authorizeBy is the last second to authorize',
  },
  {
    name: 'reserved for ever',
    find: '\n            && authorizeBy <= block.timestamp + MAX_HOLD;',
    replace: ';',
    breaks: '8: time alone returns a deposit, within bounds',
  },
  {
    name: 'reserved a second less than a hold may last',
    find: '&& authorizeBy <= block.timestamp + MAX_HOLD;',
    replace: '&& authorizeBy < block.timestamp + MAX_HOLD;',
    breaks: 'a payment that can be authorized reserves its deposit',
  },
  {
    name: 'nothing is returned',
    find: 'if (amount == 0) revert NothingToReturn(address(box), token);',
    replace: '',
    breaks: 'a return pays or reverts',
  },
  {
    name: 'a return that failed passes',
    find: 'if (!box.send(token, payer, amount)) revert DepositNotSent(address(box), token, payer, amount);',
    replace: 'box.send(token, payer, amount);',
    breaks: 'a return pays or reverts',
    quick: true,
  },
  {
    name: 'a return pays the caller',
    find: 'if (!box.send(token, payer, amount))',
    replace: 'if (!box.send(token, msg.sender, amount))',
    breaks: '15: only the escrow and the payer receive a deposit',
    quick: true,
  },
  {
    name: 'a return pays a sink',
    find: '        _requireNoSink(payer, token);\n',
    replace: '',
    breaks: 'sinks are no payers',
  },
  {
    name: 'a return starves the payer',
    find: `_requireGas(token == address(0) ? NATIVE_FLOOR_GAS : TOKEN_FLOOR_GAS);
        if (!box.send`,
    replace: 'if (!box.send',
    breaks: '14: whatever gas the caller gives',
  },
  {
    name: 'a return of coin needs the gas of a token',
    find: `_requireGas(token == address(0) ? NATIVE_FLOOR_GAS : TOKEN_FLOOR_GAS);
        if (!box.send`,
    replace: `_requireGas(TOKEN_FLOOR_GAS);
        if (!box.send`,
    breaks: '14: the floor is the push’s',
  },
  {
    name: 'a return of a token needs the gas of coin only',
    find: `_requireGas(token == address(0) ? NATIVE_FLOOR_GAS : TOKEN_FLOOR_GAS);
        if (!box.send`,
    replace: `_requireGas(NATIVE_FLOOR_GAS);
        if (!box.send`,
    breaks: '14: the floor is the push’s',
  },
  {
    name: 'a return is not told',
    find: 'emit DepositReturned(id, terms.intentId, payer, token, amount);',
    replace: '',
    breaks: 'a return is an event',
  },
  {
    name: 'the box lies elsewhere',
    find: 'new DepositBox{salt: id}();',
    replace: 'new DepositBox{salt: bytes32(0)}();',
    breaks: 'the deposit address commits to the terms',
  },
  {
    name: 'the box is deployed at each use',
    find: 'if (box.code.length == 0) new DepositBox',
    replace: 'new DepositBox',
    breaks: 'the box is permanent',
  },
  {
    name: 'the box obeys anybody',
    file: 'DepositBox.sol',
    find: 'if xor(caller(), escrow) { revert(0, 0) }',
    replace: '',
    breaks: '15: the box obeys only the escrow that deployed it',
    quick: true,
  },
  {
    name: 'the box has other functions',
    file: 'DepositBox.sol',
    find: 'default { revert(0, 0) }',
    replace: 'default { }',
    breaks: 'the box has no other function',
  },
  {
    name: 'the box takes coin with a call',
    file: 'DepositBox.sol',
    find: 'fallback() external {',
    replace: 'fallback() external payable {',
    breaks: 'the box has no other function',
  },
  {
    name: 'the box believes a token that says no',
    file: 'DepositBox.sol',
    find: 'sent := and(sent, and(gt(returndatasize(), 0x1f), eq(mload(0x00), 1)))',
    replace: '',
    breaks: '11: tokens that return false',
  },
  {
    name: 'the box believes half an answer',
    file: 'DepositBox.sol',
    find: 'and(sent, and(gt(returndatasize(), 0x1f), eq(mload(0x00), 1)))',
    replace: 'and(sent, mload(0x00))',
    breaks: '11: tokens that answer with less or other than true',
  },
  {
    name: 'the box believes the balance of a token that reverts',
    file: 'DepositBox.sol',
    find: 'if iszero(and(answered, gt(returndatasize(), 0x1f)))',
    replace: 'if iszero(gt(returndatasize(), 0x1f))',
    breaks: '11: tokens that revert',
  },
  {
    name: 'the box believes half a balance',
    file: 'DepositBox.sol',
    find: 'if iszero(and(answered, gt(returndatasize(), 0x1f)))',
    replace: 'if iszero(answered)',
    breaks: '11: tokens that answer with less than a word',
  },
];
