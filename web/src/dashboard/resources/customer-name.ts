type Named = { id: string; name?: string | null; email?: string | null; externalId?: string | null };

/** What a customer is called: name and e-mail, the merchant's own id, or ours. */
export function customerName({ id, name, email, externalId }: Named): string {
  if (name && email) return `${name} · ${email}`;
  return name ?? email ?? externalId ?? id;
}
