import type { Mutant } from './mutants.ts';

const wrongRole = (call: string, push: string, role: string): Mutant => ({
  name: `a credit of ${call} names another role`,
  find: push,
  replace: push.replace(/Role\.\w+/, `Role.${role}`),
  breaks: 'a credit names the role in which its recipient is owed',
});

/** Rules of credits and claims broken. */
export const claimMutants: readonly Mutant[] = [
  {
    name: 'a failed push forgotten',
    find: '_credits[to][token] += amount;',
    replace: '',
    breaks: '2: what cannot be pushed is credited',
  },
  {
    name: 'a credit overwritten',
    find: '_credits[to][token] += amount;',
    replace: '_credits[to][token] = amount;',
    breaks: '2: credits add up',
  },
  {
    name: 'a credit is not told',
    find: 'emit Credited(id, to, token, amount, role);',
    replace: 'role;',
    breaks: 'a credit is an event',
  },
  {
    name: 'every credit is the payer’s',
    find: 'emit Credited(id, to, token, amount, role);',
    replace: 'role; emit Credited(id, to, token, amount, Role.PAYER);',
    breaks: 'a credit names the role in which its recipient is owed',
  },
  wrongRole('capture', '_push(id, terms.token, terms.payer, returned, Role.PAYER);', 'MERCHANT'),
  wrongRole(
    'void',
    `emit Voided(id, terms.intentId, terms.payer, state.left(), 0);
        _push(id, terms.token, terms.payer, state.left(), Role.PAYER);`,
    'MERCHANT',
  ),
  wrongRole(
    'reclaim',
    `emit Reclaimed(id, terms.intentId, terms.payer, state.left(), 0);
        _push(id, terms.token, terms.payer, state.left(), Role.PAYER);`,
    'MERCHANT',
  ),
  wrongRole('refund', '_push(id, terms.token, terms.payer, amount, Role.PAYER);', 'MERCHANT'),
  wrongRole('settle to the merchant', '_push(id, token, terms.merchant, net, Role.MERCHANT);', 'PAYER'),
  wrongRole(
    'settle to the fee recipient',
    '_push(id, token, terms.feeRecipient, fee, Role.FEE_RECIPIENT);',
    'MERCHANT',
  ),
  wrongRole('a split to the payer', '_push(id, terms.token, terms.payer, back, Role.PAYER);', 'MERCHANT'),
  wrongRole('a split to the merchant', '_push(id, terms.token, terms.merchant, net, Role.MERCHANT);', 'PAYER'),
  wrongRole(
    'a split to the fee recipient',
    '_push(id, terms.token, terms.feeRecipient, fee, Role.FEE_RECIPIENT);',
    'MERCHANT',
  ),
  {
    name: 'claimed twice',
    find: '_credits[recipient][token] = 0;',
    replace: '',
    breaks: '1: a credit is paid once',
    quick: true,
  },
  {
    name: 'nothing is claimed',
    find: 'if (amount == 0) revert NothingToClaim(recipient, token);',
    replace: '',
    breaks: 'a claim pays or reverts',
  },
  {
    name: 'a claim is not told',
    find: 'emit Claimed(recipient, token, to, amount);',
    replace: '',
    breaks: 'a claim is an event',
  },
  {
    name: 'a token is claimed to any address',
    find: '} else if (to != msg.sender) {',
    replace: '} else if (to == address(0)) {',
    breaks: '4: a token’s credit goes to its recipient only',
    quick: true,
  },
  {
    name: 'coin is claimed to the caller only',
    find: 'if (to == address(0) || to == address(this)) revert InvalidClaimTarget(to);',
    replace: 'if (to != msg.sender) revert InvalidClaimTarget(to);',
    breaks: 'a recipient that cannot take coin sends its own claim on',
  },
  {
    name: 'coin is claimed to nobody',
    find: 'if (to == address(0) || to == address(this)) revert InvalidClaimTarget(to);',
    replace: 'if (to == address(this)) revert InvalidClaimTarget(to);',
    breaks: 'a claim is not burned',
  },
  {
    name: 'coin is claimed to the escrow',
    find: 'if (to == address(0) || to == address(this)) revert InvalidClaimTarget(to);',
    replace: 'if (to == address(0)) revert InvalidClaimTarget(to);',
    breaks: 'a claim leaves the escrow',
  },
  {
    name: 'a claim for another pays the caller',
    find: '_claim(recipient, token, recipient);',
    replace: '_claim(recipient, token, msg.sender);',
    breaks: '4: a credit goes to its recipient only',
    quick: true,
  },
  {
    name: 'a claim for another takes the caller’s credit',
    find: '_claim(recipient, token, recipient);',
    replace: '_claim(msg.sender, token, recipient);',
    breaks: '4: a credit goes to its recipient only',
  },
  {
    name: 'a claim for another starves it',
    find: `_requireGas(token == address(0) ? NATIVE_FLOOR_GAS : TOKEN_FLOOR_GAS);
        _claim(`,
    replace: '_claim(',
    breaks: '14: whatever gas the caller gives',
  },
  {
    name: 'a claim of coin for another needs the gas of a token',
    find: `_requireGas(token == address(0) ? NATIVE_FLOOR_GAS : TOKEN_FLOOR_GAS);
        _claim(`,
    replace: `_requireGas(TOKEN_FLOOR_GAS);
        _claim(`,
    breaks: '14: the floor is the push’s',
  },
  {
    name: 'a claim of a token for another needs the gas of coin only',
    find: `_requireGas(token == address(0) ? NATIVE_FLOOR_GAS : TOKEN_FLOOR_GAS);
        _claim(`,
    replace: `_requireGas(NATIVE_FLOOR_GAS);
        _claim(`,
    breaks: '14: the floor is the push’s',
  },
  {
    name: 'a claim of coin that failed passes',
    find: 'else if (!_sendNative(to, amount, gasleft())) revert ClaimFailed(to, amount);',
    replace: 'else _sendNative(to, amount, gasleft());',
    breaks: 'a claim pays or reverts',
    quick: true,
  },
  {
    name: 'a claim of coin is bounded like a push',
    find: '_sendNative(to, amount, gasleft())',
    replace: '_sendNative(to, amount, NATIVE_PUSH_GAS)',
    breaks: 'what needs more gas than a push is claimed',
  },
  {
    name: 'a claim believes a token that says no',
    find: 'IERC20(token).safeTransfer(to, amount);',
    replace: 'IERC20(token).transfer(to, amount);',
    breaks: '11: tokens that return false',
  },
];
