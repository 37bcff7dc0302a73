/** Exchanges the one-time code with which this browser was opened, and explains what to do if it cannot be used. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ExchangeCodeDocument } from '../../../../generated/web/documents.ts';
import { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { inTime } from '../../api/in-time.ts';
import { Button } from '../../ui/button/button.tsx';
import { LoadingCard } from '../loading/loading-card.tsx';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';
import { PageFrame } from '../view/page-frame.tsx';

type HandoverProps = {
  sessionId: string;
  code: string;
  /** The client secret. */
  taken: (secret: string) => void;
};

/** After these the code is used, or will never be valid. After others it may still be. */
const final = new Set(['AUTHENTICATION_ERROR', 'VALIDATION_ERROR', 'NOT_FOUND']);

/** One exchange at a time: a second one would find the code used. */
let running: Promise<string> | undefined;

function exchange(id: string, code: string): Promise<string> {
  running ??= ask(ExchangeCodeDocument, { id, input: { code } }, { signal: inTime() })
    .then(({ exchangeCheckoutCode }) => exchangeCheckoutCode.clientSecret)
    .finally(() => {
      running = undefined;
    });
  return running;
}

export function Handover({ sessionId, code, taken }: HandoverProps) {
  const { t } = useTranslation();
  const [fault, setFault] = useState<'used' | 'unreachable'>();
  const [attempts, setAttempts] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt exchanges anew.
  useEffect(() => {
    let hasUnmounted = false;
    exchange(sessionId, code).then(
      (secret) => hasUnmounted || taken(secret),
      (error: unknown) => {
        if (hasUnmounted) return;
        setFault(error instanceof ApiError && final.has(error.code) ? 'used' : 'unreachable');
      },
    );
    return () => {
      hasUnmounted = true;
    };
  }, [sessionId, code, taken, attempts]);
  const retry = () => {
    setFault(undefined);
    setAttempts((before) => before + 1);
  };
  if (!fault) {
    return (
      <PageFrame isLoading>
        <LoadingCard />
      </PageFrame>
    );
  }
  return (
    <PageFrame>
      <div className={styles.stack} data-handover={fault}>
        <CardHead icon={fault === 'used' ? 'clock' : 'info'} tone="wait" title={t(`handover.${fault}.title`)}>
          {t(`handover.${fault}.words`)}
        </CardHead>
        {fault === 'unreachable' && (
          <Button look="primary" size="large" isWide onPress={retry}>
            {t('everywhere.tryAgain')}
          </Button>
        )}
      </div>
    </PageFrame>
  );
}
