/** The installation, queried every few seconds, with the heads of the chains, which are received live. */
import { useState } from 'react';
import {
  OperationsHeadsDocument,
  type OperationsHeadsSubscription,
  OperationsInstallationDocument,
} from '../../../../generated/web/documents.ts';
import { useAsk } from '../session/use-ask.ts';
import { useFollow } from '../session/use-follow.ts';

const LOOK_MS = 5_000;

export function useInstallation() {
  const { data, dataUpdatedAt, error, isPending, refetch } = useAsk(
    OperationsInstallationDocument,
    {},
    { everyMs: LOOK_MS },
  );
  // Kept outside the query's data, because a change of the data restarts the polling interval, and heads arrive more often.
  const [latest, setLatest] = useState<{ at: number; heads: OperationsHeadsSubscription['chainStatus'] }>();
  useFollow(OperationsHeadsDocument, {}, ({ chainStatus }) => setLatest({ at: Date.now(), heads: chainStatus }));
  const heads = latest && latest.at > dataUpdatedAt ? latest.heads : [];
  const installation = data && {
    ...data.installation,
    chains: data.installation.chains.map((chain) => {
      const news = heads.find((one) => one.chainId === chain.chainId);
      if (!news) return chain;
      const { headBlock, appliedBlock, finalizedBlock, paused } = news;
      return { ...chain, headBlock, appliedBlock, finalizedBlock, paused };
    }),
  };
  return { installation, error, isPending, refetch };
}
