/** The exports of `@sluice/x402/client`. */
export { type Budget, BudgetError, type BudgetToken, type RefusalCode } from './budget.ts';
export { type BuyerStore, memoryStore, type Receipt, type StoreOptions } from './buyer-store.ts';
export { type Buyer, type BuyerOptions, createBuyer } from './create-buyer.ts';
export { EscrowEvmScheme, type EscrowSchemeOptions, SLUICE_ESCROW } from './escrow-scheme.ts';
export { type EscrowLimits, EscrowTermsError } from './escrow-terms.ts';
export { type RepeatOptions, type SignedPayment, UnansweredPaymentError } from './send-until-answered.ts';
