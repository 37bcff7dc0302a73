/** Shown if nothing more can be paid, or the state is unknown: the reason, and what to do next. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';

type EndCardProps = {
  why:
    | 'expired'
    | 'cancelled'
    | 'failed'
    | 'unreachable'
    | 'unopened'
    | 'inactive'
    | 'soldOut'
    | 'unpayable'
    | 'broken';
  /** Replaces the sentence below the title, if more is known about the reason. */
  words?: string | undefined;
  /** The shop's own page, if there is one. */
  url: string | null | undefined;
  retry?: (() => unknown) | undefined;
  /** Further links, such as the merchant's contact. */
  children?: ReactNode;
};

export function EndCard({ why, words, url, retry, children }: EndCardProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.stack} data-end={why}>
      <CardHead icon={why === 'expired' ? 'clock' : 'info'} tone="wait" title={t(`checkout.end.${why}.title`)}>
        {words ?? t(`checkout.end.${why}.words`)}
      </CardHead>
      {(retry || url) && (
        <div className={styles.actions}>
          {retry && (
            <Button look="primary" size="large" isWide onPress={retry}>
              {t('everywhere.tryAgain')}
            </Button>
          )}
          {url && (
            <ButtonLink isWide href={url}>
              {t('checkout.cancel')}
            </ButtonLink>
          )}
        </div>
      )}
      {children}
    </div>
  );
}
