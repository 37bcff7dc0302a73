/** Requests a deposit address: the action of the card's button. */
import { useRef, useState } from 'react';
import { CheckoutTransferPrepareDocument } from '../../../../generated/web/documents.ts';
import { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { inTime } from '../../api/in-time.ts';
import { apiSentence } from '../pay/api-fault.ts';
import type { Option } from '../pay/ways.ts';
import type { SessionName } from '../session/use-checkout.ts';

export type TransferRequest = {
  isBusy: boolean;
  /** A name under `checkout.fault`. */
  fault: string | undefined;
  /** The API refuses the refund address. Its reason is in English only. */
  isRefused: boolean;
  /** Resolves to whether there is an address now. */
  prepare: (option: Pick<Option, 'chainId' | 'tokenKey'>, refundAddress: string) => Promise<boolean>;
};

export function useTransfer({ id, credential }: SessionName, refetch: () => Promise<unknown>): TransferRequest {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const [isRefused, setRefused] = useState(false);
  const isAtWork = useRef(false);
  return {
    isBusy,
    fault,
    isRefused,
    async prepare({ chainId, tokenKey }, walletAddress) {
      if (isAtWork.current) return false;
      isAtWork.current = true;
      setBusy(true);
      setFault(undefined);
      setRefused(false);
      try {
        const input = { chainId, tokenKey, method: 'TRANSFER' as const, walletAddress };
        await ask(CheckoutTransferPrepareDocument, { id, input }, { credential, signal: inTime() });
        await refetch();
        return true;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.fault.details?.some(({ param }) => param === 'walletAddress')) setRefused(true);
        else setFault(apiSentence(error));
        return false;
      } finally {
        isAtWork.current = false;
        setBusy(false);
      }
    },
  };
}
