/** The name or email address of the customer in a list of payments. Undefined if only the wallet is known. */
export function payerName({
  customerAccount,
}: {
  customerAccount: { name: string | null; email: string | null } | null;
}): string | undefined {
  return customerAccount?.name ?? customerAccount?.email ?? undefined;
}
