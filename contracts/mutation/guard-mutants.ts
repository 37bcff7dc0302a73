import type { Mutant } from './mutants.ts';

/** Each function that writes, without its guard; deposit-mutants.ts has those of deposit addresses. */
const unguarded = (name: string, find: string): Mutant => ({
  name: `re-entered through ${name}`,
  find,
  replace: find.replace(' nonReentrant', ''),
  breaks: '11: guard against re-entry',
});

export const guardMutants: readonly Mutant[] = [
  unguarded('authorize', 'bytes calldata operatorSignature) external payable nonReentrant {'),
  unguarded(
    'authorizeWithPermit',
    `        bytes32 s
    ) external nonReentrant {`,
  ),
  unguarded(
    'authorizeWithAllowance',
    `        bytes calldata payerSignature
    ) external nonReentrant {`,
  ),
  unguarded(
    'authorizeWithReceive',
    `        bytes calldata receiveSignature
    ) external nonReentrant {`,
  ),
  unguarded(
    'capture',
    'function capture(PaymentTerms calldata terms, uint128 amount, uint128 expectedLeft) external nonReentrant {',
  ),
  unguarded('void', 'function void(PaymentTerms calldata terms) external nonReentrant {'),
  unguarded('reclaim', 'function reclaim(PaymentTerms calldata terms) external nonReentrant {'),
  unguarded(
    'refund',
    'function refund(PaymentTerms calldata terms, uint128 amount, uint128 expectedLeft) external nonReentrant {',
  ),
  unguarded('settle', 'function settle(PaymentTerms calldata terms) external nonReentrant {'),
  unguarded('dispute', 'function dispute(PaymentTerms calldata terms) external nonReentrant {'),
  unguarded(
    'disputeWithSignature',
    'function disputeWithSignature(PaymentTerms calldata terms, bytes calldata payerSignature) external nonReentrant {',
  ),
  unguarded('resolve', 'function resolve(PaymentTerms calldata terms, uint16 payerBps) external nonReentrant {'),
  unguarded('concede', 'function concede(PaymentTerms calldata terms) external nonReentrant {'),
  unguarded('resolveByTimeout', 'function resolveByTimeout(PaymentTerms calldata terms) external nonReentrant {'),
  unguarded(
    'charge',
    `        bytes calldata consentSignature
    ) external nonReentrant {`,
  ),
  unguarded('revoke', 'function revoke(RecurringConsent calldata consent) external nonReentrant {'),
  unguarded('claim', 'function claim(address token, address to) external nonReentrant {'),
  unguarded('claimFor', 'function claimFor(address recipient, address token) external nonReentrant {'),
];
