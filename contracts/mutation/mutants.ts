import { claimMutants } from './claim-mutants.ts';
import { depositMutants } from './deposit-mutants.ts';
import { guardMutants } from './guard-mutants.ts';
import { identityMutants } from './identity-mutants.ts';
import { partyMutants } from './party-mutants.ts';

/** One rule of the escrow broken: a fragment found exactly once in a file, and what stands there instead. */
export type Mutant = {
  name: string;
  /** In contracts/; PaymentEscrow.sol if absent. */
  file?: string;
  find: string;
  replace: string;
  /** The rule that no longer holds; the number is the invariant's in docs and tests. */
  breaks: string;
  /** Part of the fast subset. */
  quick?: true;
  /** Why no test can tell the mutant from the original; without it a survivor fails the run. */
  equivalent?: string;
};

const consentField = (field: string): Mutant => ({
  name: `a charge's ${field} may differ from the consent`,
  find: `terms.${field} == consent.${field}`,
  replace: 'true',
  breaks: '5: every economic field of a charge is signed by the payer',
});

export const mutants: readonly Mutant[] = [
  {
    name: 'anybody pays as the payer',
    find: `external payable nonReentrant {
        if (msg.sender != terms.payer) revert NotPayer(msg.sender, terms.payer);`,
    replace: 'external payable nonReentrant {',
    breaks: '5: the payer consents, by call or by signature',
    quick: true,
  },
  {
    name: 'coin of any value',
    find: 'if (msg.value != value) revert',
    replace: 'if (msg.value < value) revert',
    breaks: '1: exact value, none beside a token',
  },
  {
    name: 'direct payment without the operator',
    find: `        _requireSignature(digestOf(id), terms.operator, operatorSignature);
        _open(id, terms);
        if (value == 0) _pull(terms);`,
    replace: `        _open(id, terms);
        if (value == 0) _pull(terms);`,
    breaks: 'two consents: the operator signs the terms',
  },
  {
    name: 'relayed payment without the operator',
    find: `_requireSignature(digest, terms.operator, operatorSignature);
        if (!_isSigned`,
    replace: 'if (!_isSigned',
    breaks: 'two consents: the operator signs the terms',
  },
  {
    name: 'relayed payment without the payer',
    find: `        if (!_isSigned(digest, terms.payer, payerSignature)) revert InvalidPayerSignature(digest, terms.payer);
        _open(id, terms);`,
    replace: `        payerSignature;
        _open(id, terms);`,
    breaks: '5: an allowance and an operator signature alone never move money',
    quick: true,
  },
  {
    name: 'ERC-3009 without the operator',
    find: `_requireSignature(digestOf(id), terms.operator, operatorSignature);
        _open(id, terms);
        _receive(`,
    replace: `_open(id, terms);
        _receive(`,
    breaks: 'two consents: the operator signs the terms',
  },
  {
    name: 'ERC-3009 nonce not bound to the terms',
    find: 'amount, 0, validBefore, id, v, r, s);',
    replace: 'amount, 0, validBefore, terms.intentId, v, r, s);',
    breaks: '10: consent is to this hash',
  },
  {
    name: 'a failing permit blocks',
    find: `            catch {}`,
    replace: `            catch { revert ZeroAmount(); }`,
    breaks: '9: a front-run permit never blocks what the allowance covers',
  },
  {
    name: 'any delta on the way in',
    find: 'if (actual != required) revert WrongBalance',
    replace: 'if (actual > required) revert WrongBalance',
    breaks: '1: fee-on-transfer tokens are refused',
    quick: true,
  },
  {
    name: 'too much on the way in',
    find: 'if (actual != required) revert WrongBalance',
    replace: 'if (actual < required) revert WrongBalance',
    breaks: '1: exact balance delta',
  },
  {
    name: 'collected again',
    find: '_requireStatus(id, _states[id].status(), Status.NONE);',
    replace: '',
    breaks: '3: collected at most once',
    quick: true,
  },
  {
    name: 'no zero payment',
    find: `if (terms.amount == 0) revert ZeroAmount();`,
    replace: '',
    breaks: 'bounds: amount > 0',
  },
  {
    name: 'fee above 10 %',
    find: 'if (feeBps > MAX_FEE_BPS)',
    replace: 'if (feeBps > MAX_BPS)',
    breaks: '6: fee bound',
  },
  {
    name: 'fee bound off by one',
    find: 'if (feeBps > MAX_FEE_BPS)',
    replace: 'if (feeBps >= MAX_FEE_BPS)',
    breaks: '6: feeBps ≤ 1000',
  },
  {
    name: 'fee to nobody',
    find: 'else if (feeBps > 0) revert FeeRecipientMissing',
    replace: 'else if (feeBps > 1) revert FeeRecipientMissing',
    breaks: 'bounds: feeRecipient ≠ 0 if feeBps > 0',
  },
  {
    name: 'authorized a second late',
    find: 'if (block.timestamp > authorizeBy)',
    replace: 'if (block.timestamp > uint256(authorizeBy) + 1)',
    breaks: '7: authorizeBy',
  },
  {
    name: 'authorizeBy itself excluded',
    find: 'if (block.timestamp > authorizeBy)',
    replace: 'if (block.timestamp >= authorizeBy)',
    breaks: '7: authorizeBy is the last second',
  },
  {
    name: 'captureBy before authorizeBy',
    find: 'if (captureBy < authorizeBy)',
    replace: 'if (captureBy < authorizeBy - 1)',
    breaks: 'bounds: authorizeBy ≤ captureBy',
  },
  {
    name: 'a hold without end',
    find: 'if (captureBy > latest) revert CaptureByTooLate(captureBy, latest);',
    replace: '',
    breaks: '8: captureBy ≤ now + 90 d',
  },
  {
    name: 'a hold bound off by one',
    find: 'if (captureBy > latest)',
    replace: 'if (captureBy >= latest)',
    breaks: '8: captureBy ≤ now + 90 d',
  },
  {
    name: 'a timelock without end',
    find: 'if (timelock > MAX_TIMELOCK) revert TimelockTooLong(timelock, MAX_TIMELOCK);',
    replace: '',
    breaks: '8: timelock ≤ 180 d',
  },
  {
    name: 'disputes after the timelock',
    find: 'if (window > timelock) revert DisputeWindowAboveTimelock(window, timelock);',
    replace: '',
    breaks: 'bounds: disputeWindow ≤ timelock',
  },
  {
    name: 'disputes without an arbiter',
    find: 'if ((terms.arbiter == address(0)) != (window == 0))',
    replace: 'if (terms.arbiter != address(0) && window == 0)',
    breaks: 'bounds: arbiter = 0 exactly when disputeWindow = 0',
  },
  {
    name: 'a dispute timed out at once',
    find: 'timeout < MIN_DISPUTE_TIMEOUT || ',
    replace: '',
    breaks: 'bounds: disputeTimeout ≥ 7 d',
  },
  {
    name: 'a dispute without end',
    find: ' || timeout > MAX_DISPUTE_TIMEOUT',
    replace: '',
    breaks: '8: disputeTimeout ≤ 90 d',
  },
  {
    name: 'a timeout share above all',
    find: 'if (terms.timeoutPayerBps > MAX_BPS) revert ShareAboveMax(terms.timeoutPayerBps, MAX_BPS);',
    replace: '',
    breaks: 'bounds: timeoutPayerBps ≤ 10000',
  },
  {
    name: 'captured a second late',
    find: 'if (block.timestamp > terms.captureBy)',
    replace: 'if (block.timestamp > uint256(terms.captureBy) + 1)',
    breaks: '7: capture until captureBy',
  },
  {
    name: 'reclaimed a second early',
    find: 'if (block.timestamp <= terms.captureBy)',
    replace: 'if (block.timestamp < terms.captureBy)',
    breaks: '7: reclaim after captureBy',
  },
  {
    name: 'the rest of a capture kept',
    find: '_push(id, terms.token, terms.payer, returned, Role.PAYER);',
    replace: '',
    breaks: '2: the rest returns to the payer in the same call',
  },
  {
    name: 'managed by anybody',
    find: 'if (msg.sender != terms.operator && msg.sender != terms.merchant) {',
    replace: 'if (msg.sender == terms.payer) {',
    breaks: '4: capture, void, refund and concede are the operator’s or merchant’s',
    quick: true,
  },
  {
    name: 'the merchant may not manage',
    find: 'if (msg.sender != terms.operator && msg.sender != terms.merchant) {',
    replace: 'if (msg.sender != terms.operator) {',
    breaks: 'operator or merchant',
  },
  {
    name: 'expectedLeft ignored',
    find: 'if (left != expectedLeft) revert WrongLeft(left, expectedLeft);',
    replace: 'expectedLeft;',
    breaks: '12: a wrong expectedLeft reverts',
  },
  {
    name: 'more than is left',
    find: 'if (amount > left) revert AmountAboveLeft(amount, left);',
    replace: '',
    breaks: '1: no more than what is left',
  },
  {
    name: 'nothing captured or refunded',
    find: '        if (amount == 0) revert ZeroAmount();',
    replace: '',
    breaks: 'amount > 0',
  },
  {
    name: 'a full refund stays open',
    find: 'left == 0 ? Status.REFUNDED : Status.CAPTURED',
    replace: 'Status.CAPTURED',
    breaks: '3: a full refund is final',
  },
  {
    name: 'a refund forgets the dispute',
    find: '_states[id] = pack(left, state.capturedAt(), state.disputedAt(), left == 0',
    replace: '_states[id] = pack(left, state.capturedAt(), 0, left == 0',
    breaks: 'a partial refund does not end a dispute',
  },
  {
    name: 'settled a second early',
    find: 'if (block.timestamp < settleFrom)',
    replace: 'if (block.timestamp + 1 < settleFrom)',
    breaks: '7: settle after the timelock',
  },
  {
    name: 'settled while disputed',
    find: `if (state.disputedAt() != 0) revert AlreadyDisputed(id, state.disputedAt());
        uint256 settleFrom`,
    replace: 'uint256 settleFrom',
    breaks: 'dispute stops settle',
  },
  {
    name: 'no fee at settlement',
    find: 'uint128 fee = _shareOf(state.left(), terms.feeBps);',
    replace: 'uint128 fee = 0;',
    breaks: 'fee = floor(left · feeBps / 10000)',
  },
  {
    name: 'the fee kept in the contract',
    find: '_push(id, token, terms.feeRecipient, fee, Role.FEE_RECIPIENT);',
    replace: '',
    breaks: '2: the fee goes to the fee recipient',
  },
  {
    name: 'a fee on the payer’s share',
    find: 'uint128 fee = _shareOf(gross, terms.feeBps);',
    replace: 'uint128 fee = _shareOf(state.left(), terms.feeBps);',
    breaks: '6: the fee only on the merchant’s share',
  },
  {
    name: 'disputed by anybody',
    find: `if (msg.sender != terms.payer) revert NotPayer(msg.sender, terms.payer);
        _dispute(terms);`,
    replace: '_dispute(terms);',
    breaks: 'dispute is the payer’s',
  },
  {
    name: 'disputed by anybody’s signature',
    find: `        if (!_isSigned(digest, terms.payer, payerSignature)) revert InvalidPayerSignature(digest, terms.payer);
        _dispute(terms);`,
    replace: `        payerSignature;
        digest;
        _dispute(terms);`,
    breaks: 'dispute is the payer’s',
  },
  {
    name: 'disputed a second late',
    find: 'if (block.timestamp >= disputeBefore)',
    replace: 'if (block.timestamp > disputeBefore)',
    breaks: '7: disputeWindow',
  },
  {
    name: 'disputed again',
    find: `if (state.disputedAt() != 0) revert AlreadyDisputed(id, state.disputedAt());
        uint256 disputeBefore`,
    replace: 'uint256 disputeBefore',
    breaks: '8: a dispute begins once, or its timeout never comes',
  },
  {
    name: 'resolved by anybody',
    find: 'if (msg.sender != terms.arbiter) revert NotArbiter(msg.sender, terms.arbiter);',
    replace: '',
    breaks: 'resolve is the arbiter’s',
  },
  {
    name: 'resolved beyond the whole',
    find: 'if (payerBps > MAX_BPS) revert ShareAboveMax(payerBps, MAX_BPS);',
    replace: '',
    breaks: '2: a split of what is left',
  },
  {
    name: 'resolved without a dispute',
    find: 'if (state.disputedAt() == 0) revert NotDisputed(id);',
    replace: '',
    breaks: 'resolve, concede and timeout need a dispute',
  },
  {
    name: 'timed out a second early',
    find: 'if (block.timestamp < resolveFrom)',
    replace: 'if (block.timestamp + 1 < resolveFrom)',
    breaks: '7: disputeTimeout',
  },
  {
    name: 'an arbiter’s share on timeout',
    find: '_resolve(id, state, terms, Resolution.TIMEOUT, terms.timeoutPayerBps);',
    replace: '_resolve(id, state, terms, Resolution.TIMEOUT, MAX_BPS);',
    breaks: 'the split that both signed',
  },
  {
    name: 'conceded in part',
    find: '_resolve(id, state, terms, Resolution.CONCEDED, MAX_BPS);',
    replace: '_resolve(id, state, terms, Resolution.CONCEDED, MAX_BPS - 1);',
    breaks: 'concede gives all back',
  },
  {
    name: 'a final status keeps its rest',
    find: '_states[id] = pack(0, state.capturedAt()',
    replace: '_states[id] = pack(state.left(), state.capturedAt()',
    breaks: '3: a final status has nothing left',
  },
  consentField('payer'),
  consentField('merchant'),
  consentField('token'),
  consentField('operator'),
  consentField('arbiter'),
  consentField('feeRecipient'),
  consentField('feeBps'),
  consentField('timelock'),
  consentField('disputeWindow'),
  consentField('disputeTimeout'),
  consentField('timeoutPayerBps'),
  {
    name: 'a charge that is only held',
    find: `
            && terms.captureOnAuthorize;`,
    replace: ';',
    breaks: 'a charge is captured at once',
  },
  {
    name: 'a charge above the cap',
    find: 'if (terms.amount > consent.capPerPeriod) revert AmountAboveCap(terms.amount, consent.capPerPeriod);',
    replace: '',
    breaks: '13: at most the cap',
    quick: true,
  },
  {
    name: 'a charge of another intent',
    find: 'if (terms.intentId != intentId) revert WrongIntentId(terms.intentId, intentId);',
    replace: 'intentId;',
    breaks: '10: intentId = hash(consent, k)',
  },
  {
    name: 'charged after revocation',
    find: 'if (state.revoked) revert ConsentAlreadyRevoked(consentId);',
    replace: '',
    breaks: 'revoke: no further charge',
  },
  {
    name: 'a period charged again',
    find: 'if (period < state.nextPeriod)',
    replace: 'if (period + 1 < state.nextPeriod)',
    breaks: '13: at most one charge per period',
  },
  {
    name: 'the next period not kept',
    find: '_consents[consentId].nextPeriod = period + 1;',
    replace: '',
    breaks: '13: at most one charge per period',
  },
  {
    name: 'charged at the end',
    find: 'if (end != 0 && block.timestamp >= end)',
    replace: 'if (end != 0 && block.timestamp > end)',
    breaks: '7: no charge at or after end',
  },
  {
    name: 'charged before the period',
    find: 'if (block.timestamp < from || ',
    replace: 'if (',
    breaks: '13: start(k) ≤ now',
  },
  {
    name: 'charged in arrears',
    find: ' || block.timestamp >= before)',
    replace: ')',
    breaks: '13: now < start(k + 2)',
  },
  {
    name: 'open one period longer',
    find: '_periodStart(consent, uint256(period) + 2)',
    replace: '_periodStart(consent, uint256(period) + 3)',
    breaks: '13: now < start(k + 2)',
  },
  {
    name: 'charged without the payer',
    find: 'if (!_isSigned(digest, terms.payer, consentSignature)) revert InvalidPayerSignature(digest, terms.payer);',
    replace: 'consentSignature;',
    breaks: '5: the consent is the payer’s',
  },
  {
    name: 'charged without the operator',
    find: `        _requireSignature(
            digestOf(keccak256(abi.encode(CHARGE_TYPEHASH, consentId, period, id))), terms.operator, operatorSignature
        );`,
    replace: '        operatorSignature;',
    breaks: 'a charge needs the operator’s signature over consent, period and terms',
  },
  {
    name: 'revoked by anybody',
    find: 'if (msg.sender != consent.payer) revert NotPayer(msg.sender, consent.payer);',
    replace: '',
    breaks: 'revoke is the subscriber’s',
  },
  {
    name: 'no gas floor for the coin',
    find: '_requireGas(NATIVE_FLOOR_GAS);',
    replace: '',
    breaks: '14: nobody is starved into the credit branch',
  },
  {
    name: 'no gas floor for tokens',
    find: '_requireGas(TOKEN_FLOOR_GAS);',
    replace: '',
    breaks: '14: nobody is starved into the credit branch',
  },
  {
    name: 'a false answer counts as paid',
    find: 'and(gt(returndatasize(), 0x1f), eq(mload(0x00), 1))',
    replace: 'gt(returndatasize(), 0x1f)',
    breaks: '11: tokens that answer false',
  },
  {
    name: 'no answer counts as unpaid',
    find: 'case 0 { sent := and(sent, gt(extcodesize(token), 0)) }',
    replace: 'case 0 { sent := 0 }',
    breaks: '11: tokens that answer nothing',
  },
  {
    name: 'a token without code counts as paid',
    find: 'case 0 { sent := and(sent, gt(extcodesize(token), 0)) }',
    replace: 'case 0 { }',
    breaks: '11: a token without code pays nobody',
  },
  {
    name: 'a short answer counts as paid',
    find: 'and(gt(returndatasize(), 0x1f), eq(mload(0x00), 1))',
    replace: 'eq(mload(0x00), 1)',
    breaks: '11: an answer is a whole word',
  },
  {
    name: 'smart accounts cannot sign',
    find: 'return SignatureChecker.isValidERC1271SignatureNowCalldata(signer, digest, signature);',
    replace: 'return false;',
    breaks: 'ERC-1271 after ECDSA',
  },
  {
    name: 'keys of accounts with code cannot sign',
    find: 'if (failure == ECDSA.RecoverError.NoError && recovered == signer) return true;',
    replace:
      'if (failure == ECDSA.RecoverError.NoError && recovered == signer && signer.code.length == 0) return true;',
    breaks: 'ECDSA first: an EIP-7702 account has code',
  },
  {
    name: 'months not clamped',
    file: 'Calendar.sol',
    find: 'if (day > last) day = last;',
    replace: 'last;',
    breaks: '13: months by calendar, the day clamped',
  },
  {
    name: 'no leap centuries',
    file: 'Calendar.sol',
    find: '365 * year + year / 4 - year / 100 + year / 400',
    replace: '365 * year + year / 4 - year / 100',
    breaks: '13: months by calendar',
  },
  {
    name: 'the status read from beside its bits',
    file: 'PackedState.sol',
    find: 'return uint40(PackedState.unwrap(state) >> 168);',
    replace: 'return uint40(PackedState.unwrap(state) >> 128);',
    breaks: '3: the state is what was written',
  },
  ...claimMutants,
  ...depositMutants,
  ...guardMutants,
  ...identityMutants,
  ...partyMutants,
];
