import type { Mutant } from './mutants.ts';

/** Rules of who may be a party, and of what may be pulled, broken. */
export const partyMutants: readonly Mutant[] = [
  {
    name: 'no payer',
    find: 'terms.payer == address(0) || ',
    replace: '',
    breaks: 'bounds: payer ≠ 0',
  },
  {
    name: 'no merchant',
    find: 'terms.merchant == address(0) || ',
    replace: '',
    breaks: 'bounds: merchant ≠ 0',
  },
  {
    name: 'no operator',
    find: ' || terms.operator == address(0)',
    replace: '',
    breaks: 'bounds: operator ≠ 0',
  },
  {
    name: 'a sink as payer',
    find: '        _requireNoSink(terms.payer, terms.token);\n',
    replace: '',
    breaks: 'sinks: neither escrow nor token is the payer',
    quick: true,
  },
  {
    name: 'a sink as merchant',
    find: '        _requireNoSink(terms.merchant, terms.token);\n',
    replace: '',
    breaks: 'sinks: neither escrow nor token is the merchant',
  },
  {
    name: 'a sink as fee recipient',
    find: 'if (feeRecipient != address(0)) _requireNoSink(feeRecipient, terms.token);',
    replace: 'if (feeRecipient != address(0)) {}',
    breaks: 'sinks: neither escrow nor token is the fee recipient',
  },
  {
    name: 'a sink as fee recipient without a fee',
    find: 'if (feeRecipient != address(0)) _requireNoSink(feeRecipient, terms.token);',
    replace: 'if (feeBps == 0) {} else if (feeRecipient != address(0)) _requireNoSink(feeRecipient, terms.token);',
    breaks: 'sinks: neither escrow nor token is the fee recipient',
  },
  {
    name: 'the absent fee recipient of a payment in coin is a sink',
    find: 'if (feeRecipient != address(0)) _requireNoSink(feeRecipient, terms.token);',
    replace: `_requireNoSink(feeRecipient, terms.token);
        if (feeRecipient != address(0)) {}`,
    breaks: 'bounds: feeRecipient may be zero without a fee',
  },
  {
    name: 'the escrow as a party',
    find: 'if (party == address(this) || party == token) revert SinkParty(party);',
    replace: 'if (party == token) revert SinkParty(party);',
    breaks: 'sinks: the escrow is no party',
  },
  {
    name: 'the token as a party',
    find: 'if (party == address(this) || party == token) revert SinkParty(party);',
    replace: 'if (party == address(this)) revert SinkParty(party);',
    breaks: 'sinks: the token is no party',
  },
  {
    name: 'the operator as arbiter',
    find: 'if (terms.arbiter == terms.operator) revert ArbiterIsOperator(terms.arbiter);',
    replace: '',
    breaks: 'bounds: arbiter ≠ operator',
    quick: true,
  },
  {
    name: 'coin pulled by signature',
    find: `        _requireToken(id, terms);
        bytes32 digest`,
    replace: '        bytes32 digest',
    breaks: 'the native coin cannot be pulled',
  },
  {
    name: 'coin pulled by ERC-3009',
    find: `        _requireToken(id, terms);
        _requireSignature`,
    replace: '        _requireSignature',
    breaks: 'the native coin cannot be pulled',
  },
  {
    name: 'coin charged',
    find: `        _requireToken(id, terms);
        _requireConsented`,
    replace: '        _requireConsented',
    breaks: 'the native coin cannot be pulled',
  },
  {
    name: 'nothing is pushed as something',
    find: 'if (amount == 0) return;',
    replace: '',
    breaks: 'nobody is called for nothing',
  },
  {
    name: 'no gas for what is around a push',
    find: 'PUSH_OVERHEAD_GAS = 70_000;',
    replace: 'PUSH_OVERHEAD_GAS = 0;',
    breaks: '14: the callee has its whole stipend, and its failure is credited',
  },
];
