type Named = { id: string; name?: string | null; email?: string | null; externalId?: string | null };

/** The display name of a customer: name and email address, the merchant's own id, or our id. */
export function customerName({ id, name, email, externalId }: Named): string {
  if (name && email) return `${name} · ${email}`;
  return name ?? email ?? externalId ?? id;
}
