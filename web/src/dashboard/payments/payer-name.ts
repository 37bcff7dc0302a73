/** What a customer is called in a list of payments: by name or email address. Undefined where only the wallet is known. */
export function payerName({
  customerAccount,
}: {
  customerAccount: { name: string | null; email: string | null } | null;
}): string | undefined {
  return customerAccount?.name ?? customerAccount?.email ?? undefined;
}
