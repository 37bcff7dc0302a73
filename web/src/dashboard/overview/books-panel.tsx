/** Where the money is: five amounts in fiat, and a sixth while a payout is undelivered, each with its tokens. */
import { useTranslation } from 'react-i18next';
import { chainOf, tokenOf } from '../../settings.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { type Books, bookParts, type Gas, type PartSum, sumBooks } from './books.ts';
import styles from './overview.module.css';

type BooksPanelProps = { books: Books | undefined; gas: Gas | undefined; currency: string; isLoading: boolean };

export function BooksPanel({ books, gas, currency, isLoading }: BooksPanelProps) {
  const { t } = useTranslation();
  if (!books && !isLoading) return null;
  const sums: PartSum[] = books
    ? sumBooks(books, currency)
    : bookParts.filter((part) => part !== 'undelivered').map((part) => ({ part, value: '', tokens: [] }));
  return (
    <section aria-label={t('overview.books.label')}>
      <dl className={styles.books}>
        {sums.map((sum) => (
          <div key={sum.part} className={styles.book} data-part={sum.part}>
            <dt title={t(`overview.books.${sum.part}About`)}>{t(`overview.books.${sum.part}`)}</dt>
            {books ? (
              <BookFigure sum={sum} currency={currency} />
            ) : (
              <dd>
                <Skeleton height={28} isSilent={sum.part !== 'received'} />
              </dd>
            )}
            {sum.part === 'fees' && gas && gas.transactionCount > 0 && <GasFigure gas={gas} />}
          </div>
        ))}
      </dl>
    </section>
  );
}

function BookFigure({ sum, currency }: { sum: PartSum; currency: string }) {
  const formats = useFormats();
  return (
    <>
      <dd className={styles.bookValue}>{formats.fiat(sum.value, currency)}</dd>
      {sum.tokens.map(({ tokenKey, units }) => {
        const token = tokenOf(tokenKey);
        const figure = token && formats.token(units, token.decimals);
        return (
          <dd key={tokenKey} className={styles.bookToken} title={figure && `${figure.exact} ${token.symbol}`}>
            {figure ? `${figure.words} ${token.symbol} · ${chainOf(token.chainId)?.name ?? token.chainId}` : tokenKey}
          </dd>
        );
      })}
    </>
  );
}

function GasFigure({ gas: { costUsd, unpricedCount } }: { gas: Gas }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const unpriced = unpricedCount > 0 ? `. ${t('overview.books.gasUnpriced', { count: unpricedCount })}` : '';
  return (
    <dd className={styles.bookToken} title={`${t('overview.books.gasAbout')}${unpriced}`}>
      {t('overview.books.gas', { cost: formats.smallFiat(costUsd, 'USD') })}
    </dd>
  );
}
