import type { Mutant } from './mutants.ts';

/** Rules of ids, of what is signed, and of reading while a token is asked to pay, broken. */
export const identityMutants: readonly Mutant[] = [
  {
    name: 'one digest for all chains',
    find: 'mstore(add(pointer, 0x60), chainid())',
    replace: 'mstore(add(pointer, 0x60), 31337)',
    breaks: '10: no replay across chains',
    quick: true,
  },
  {
    name: 'one digest for all contracts',
    find: 'mstore(add(pointer, 0x80), address())',
    replace: 'mstore(add(pointer, 0x80), 1)',
    breaks: '10: no replay across contracts',
  },
  {
    name: 'signatures of the first edition',
    find: 'VERSION_HASH = keccak256("2")',
    replace: 'VERSION_HASH = keccak256("1")',
    breaks: '10: the domain has version 2',
  },
  {
    name: 'the domain tells another version',
    find: '(0x0f, "Sluice", "2",',
    replace: '(0x0f, "Sluice", "1",',
    breaks: 'eip712Domain is the domain that is signed',
  },
  {
    name: 'the id leaves out the last field',
    find: `            calldatacopy(add(pointer, 0x20), terms, 0x220)
            id := keccak256(pointer, 0x240)`,
    replace: `            calldatacopy(add(pointer, 0x20), terms, 0x200)
            id := keccak256(pointer, 0x220)`,
    breaks: '10: the id binds every field',
  },
  {
    name: 'the consent’s id leaves out the last field',
    find: `            calldatacopy(add(pointer, 0x20), consent, 0x220)
            consentId := keccak256(pointer, 0x240)`,
    replace: `            calldatacopy(add(pointer, 0x20), consent, 0x200)
            consentId := keccak256(pointer, 0x220)`,
    breaks: '10: the consent’s id binds every field',
  },
  {
    name: 'authorize asks for a signature on the struct hash',
    find: `        _requireSignature(digestOf(id), terms.operator, operatorSignature);
        _open(id, terms);
        if (value == 0) _pull(terms);`,
    replace: `        _requireSignature(id, terms.operator, operatorSignature);
        _open(id, terms);
        if (value == 0) _pull(terms);`,
    breaks: '10: what is signed has the live domain',
  },
  {
    name: 'relays ask for signatures on the struct hash',
    find: `        bytes32 digest = digestOf(id);
        _requireSignature(digest`,
    replace: `        bytes32 digest = id;
        _requireSignature(digest`,
    breaks: '10: what is signed has the live domain',
  },
  {
    name: 'ERC-3009 asks for a signature on the struct hash',
    find: `_requireSignature(digestOf(id), terms.operator, operatorSignature);
        _open(id, terms);
        _receive(`,
    replace: `_requireSignature(id, terms.operator, operatorSignature);
        _open(id, terms);
        _receive(`,
    breaks: '10: what is signed has the live domain',
  },
  {
    name: 'a deposit asks for a signature on the struct hash',
    find: `_requireSignature(digestOf(id), terms.operator, operatorSignature);
        _open(id, terms);
        _collect(`,
    replace: `_requireSignature(id, terms.operator, operatorSignature);
        _open(id, terms);
        _collect(`,
    breaks: '10: what is signed has the live domain',
  },
  {
    name: 'a consent is signed as its struct hash',
    find: 'bytes32 digest = digestOf(consentId);',
    replace: 'bytes32 digest = consentId;',
    breaks: '10: what is signed has the live domain',
  },
  {
    name: 'a dispute is signed as its struct hash',
    find: 'digestOf(keccak256(abi.encode(DISPUTE_TYPEHASH, idOf(terms))))',
    replace: 'keccak256(abi.encode(DISPUTE_TYPEHASH, idOf(terms)))',
    breaks: '10: what is signed has the live domain',
  },
  {
    name: 'a charge is signed as its struct hash',
    find: 'digestOf(keccak256(abi.encode(CHARGE_TYPEHASH, consentId, period, id)))',
    replace: 'keccak256(abi.encode(CHARGE_TYPEHASH, consentId, period, id))',
    breaks: '10: what is signed has the live domain',
  },
  {
    name: 'the ERC-3009 nonce is the digest',
    find: 'amount, 0, validBefore, id, v, r, s);',
    replace: 'amount, 0, validBefore, digestOf(id), v, r, s);',
    breaks: '10: the nonce is the id, whatever the chain’s id',
  },
  {
    name: 'a contract’s ERC-3009 nonce is not bound to the terms',
    find: 'amount, 0, validBefore, id, signature);',
    replace: 'amount, 0, validBefore, terms.intentId, signature);',
    breaks: '10: consent is to this hash',
  },
  {
    name: 'a payment is shown while its token is asked to pay',
    find: 'if (id == _collecting) return (Status.NONE, 0, 0, 0);',
    replace: '',
    breaks: 'stateOf answers NONE during a pull',
    quick: true,
  },
  {
    name: 'a payment stays hidden in the transaction that collected it',
    find: '        _collecting = bytes32(0);\n',
    replace: '',
    breaks: 'stateOf shows a payment once its token has paid',
  },
  {
    name: 'a payment in coin is hidden',
    find: 'if (terms.token != address(0)) _collecting = id;',
    replace: '_collecting = id;',
    breaks: 'stateOf shows a payment in coin at once',
  },
  {
    name: 'only captured payments are hidden',
    find: 'if (terms.token != address(0)) _collecting = id;',
    replace: 'if (terms.token != address(0) && captured) _collecting = id;',
    breaks: 'stateOf answers NONE during a pull',
  },
  {
    name: 'every payment is hidden while one is collected',
    find: 'if (id == _collecting) return',
    replace: 'if (_collecting != bytes32(0)) return',
    breaks: 'only the payment that is being collected is hidden',
  },
  {
    name: 'reading reverts while a token is asked to pay',
    find: 'if (id == _collecting) return (Status.NONE, 0, 0, 0);',
    replace: 'if (id == _collecting) revert ZeroAmount();',
    breaks: 'stateOf never reverts',
  },
];
