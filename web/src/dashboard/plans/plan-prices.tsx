/** The prices of a plan, including archived ones, and the actions for each. */
import { useTranslation } from 'react-i18next';
import type { PlanPageQuery, PriceFactsFragment } from '../../../../generated/web/documents.ts';
import { useTariffLines } from '../../ui/amounts/use-tariff-lines.ts';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import { Status } from '../../ui/state/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import styles from '../resources/resources.module.css';
import { usePriceWords } from '../resources/use-price-words.ts';

type Act = (price: PriceFactsFragment) => void;

type PlanPrice = PlanPageQuery['productPlan']['prices'][number];

type PlanPricesProps = {
  prices: readonly PlanPrice[];
  mayWrite: boolean;
  onEdit: Act;
  onDefault: Act;
  onArchive: Act;
  onRestore: Act;
  onDelete: Act;
};

export function PlanPrices(props: PlanPricesProps) {
  const { prices, mayWrite, onEdit, onDefault, onArchive, onRestore, onDelete } = props;
  const { t } = useTranslation();
  const { priceWords } = usePriceWords();
  const entries = (price: PriceFactsFragment) => [
    { key: 'edit', words: t('catalog.edit'), onSelect: () => onEdit(price) },
    // The default price can be neither archived nor deleted until another price becomes the default.
    ...(price.isDefault
      ? []
      : price.isActive
        ? [
            { key: 'default', words: t('catalog.price.makeDefault'), onSelect: () => onDefault(price) },
            { key: 'archive', words: t('catalog.archive'), isDanger: true, onSelect: () => onArchive(price) },
            { key: 'delete', words: t('catalog.delete'), isDanger: true, onSelect: () => onDelete(price) },
          ]
        : [{ key: 'back', words: t('catalog.bringBack'), onSelect: () => onRestore(price) }]),
  ];
  return (
    <Table
      caption={t('catalog.price.plural')}
      rows={prices}
      rowKey={(price) => price.id}
      columns={[
        {
          key: 'price',
          head: t('catalog.price.title'),
          cell: (price) => (
            <span className={styles.stack}>
              {priceWords(price)}
              {price.nickname && <span className={styles.quiet}>{price.nickname}</span>}
              <Tariff price={price} />
            </span>
          ),
        },
        {
          key: 'trial',
          head: t('catalog.price.trialShort'),
          isWide: true,
          cell: (price) =>
            price.trialPeriodDays ? t('catalog.price.trialDays', { count: price.trialPeriodDays }) : null,
        },
        {
          key: 'state',
          isCorner: true,
          head: t('catalog.state'),
          cell: (price) => (
            <span className={styles.inline}>
              {price.isActive ? (
                <Status status="ACTIVE">{t('catalog.plan.sold')}</Status>
              ) : (
                <Status status="INACTIVE">{t('catalog.archived')}</Status>
              )}
              {price.isDefault && <span className={styles.quiet}>{t('catalog.price.isDefault')}</span>}
            </span>
          ),
        },
        ...(mayWrite
          ? [
              {
                key: 'actions',
                head: <span className="visually-hidden">{t('catalog.actions')}</span>,
                align: 'end' as const,
                cell: (price: PriceFactsFragment) => (
                  <Menu
                    trigger={
                      <Button
                        look="bare"
                        size="small"
                        icon="dots"
                        aria-label={t('catalog.actionsOf', { name: priceWords(price) })}
                      />
                    }
                    entries={entries(price)}
                  />
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

/** As the payer reads it, because a price that was entered wrongly cannot be changed. */
function Tariff({ price: { metering, currency } }: { price: PlanPrice }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const tariffLines = useTariffLines();
  if (!metering) return null;
  const cap = t('catalog.metering.atMost', { amount: formats.fiat(metering.capAmount, currency) });
  return [...tariffLines(metering, currency), cap].map((line) => (
    <span key={line} className={styles.quiet}>
      {line}
    </span>
  ));
}
