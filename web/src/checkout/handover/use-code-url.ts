/** The address of this payment with a one-time code, renewed before the code expires and when the payer returns to this page. */
import { useQuery } from '@tanstack/react-query';
import { CreateCodeDocument } from '../../../../generated/web/documents.ts';
import { ask } from '../../api/ask.ts';
import { inTime } from '../../api/in-time.ts';
import type { SessionName } from '../session/use-checkout.ts';

/** A code is valid for 120 s. A payer who opens a link may still have to unlock the wallet, so at least 75 s remain. */
const RENEWED_MS = 45_000;

export type CodeUrl = { url: URL | undefined; isFailed: boolean; retry: () => Promise<unknown> };

export function useCodeUrl({ id, credential }: SessionName): CodeUrl {
  const query = useQuery({
    queryKey: ['code', id],
    queryFn: async () => {
      const { createCheckoutCode } = await ask(CreateCodeDocument, { id }, { credential, signal: inTime() });
      return new URL(createCheckoutCode.url);
    },
    refetchInterval: RENEWED_MS,
    refetchOnWindowFocus: 'always',
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  // An older code may have expired or been used.
  const url = query.isError ? undefined : query.data;
  return { url, isFailed: query.isError, retry: () => query.refetch() };
}
