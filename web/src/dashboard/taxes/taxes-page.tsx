/** The tax rates of the merchant: list, create, edit, archive and restore. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TaxListDocument, TaxUpdateDocument } from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { Status } from '../../ui/state/status.tsx';
import { ConfirmDialog } from '../resources/confirm-dialog.tsx';
import { FilterSelect } from '../resources/filter-select.tsx';
import { isBare, ResourceList } from '../resources/resource-list.tsx';
import styles from '../resources/resources.module.css';
import { useFilter } from '../resources/use-filter.ts';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import { TaxForm } from './tax-form.tsx';
import type { TaxRow } from './tax-row.ts';

type Doing = { what: 'create' } | { what: 'edit' | 'archive'; rate: TaxRow };

export function TaxesPage() {
  const { t, i18n } = useTranslation();
  const { mayWrite } = useDashboard();
  const [shown, show] = useFilter('show', ['all'] as const);
  const [doing, setDoing] = useState<Doing>();
  const showToast = useToasts();
  const update = useApiMutation(TaxUpdateDocument);
  const { data, error, isPending, refetch } = useAsk(
    TaxListDocument,
    { includeInactive: shown === 'all' },
    { keepsLast: true },
  );
  const percent = (value: number) => new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 4 }).format(value);
  const restore = (rate: TaxRow) =>
    update.mutate(
      { id: rate.id, input: { isActive: true } },
      { onSuccess: () => showToast({ title: t('catalog.tax.broughtBack') }) },
    );
  const actions = (rate: TaxRow) => (
    <Menu
      trigger={
        <Button look="bare" size="small" icon="dots" aria-label={t('catalog.actionsOf', { name: rate.displayName })} />
      }
      entries={[
        { key: 'edit', words: t('catalog.edit'), onSelect: () => setDoing({ what: 'edit', rate }) },
        rate.isActive
          ? {
              key: 'archive',
              words: t('catalog.archive'),
              isDanger: true,
              onSelect: () => setDoing({ what: 'archive', rate }),
            }
          : { key: 'back', words: t('catalog.bringBack'), onSelect: () => restore(rate) },
      ]}
    />
  );
  const create = mayWrite && (
    <Button look="primary" icon="plus" onPress={() => setDoing({ what: 'create' })}>
      {t('catalog.tax.new')}
    </Button>
  );
  const close = () => setDoing(undefined);
  return (
    <PageFrame
      title={t('catalog.tax.title')}
      about={t('catalog.tax.about')}
      back={{ href: '/plans', words: t('catalog.plan.title') }}
      actions={!isBare({ rows: data?.taxRates ?? [], error, isLoading: isPending }, shown === 'all') && create}
    >
      <ResourceList
        caption={t('catalog.tax.title')}
        rows={data?.taxRates ?? []}
        error={error}
        isLoading={isPending}
        retry={refetch}
        isFiltered={shown === 'all'}
        filters={
          <FilterSelect
            label={t('catalog.tax.show')}
            all={t('catalog.tax.active')}
            value={shown}
            onChange={show}
            options={[{ value: 'all', words: t('catalog.tax.all') }]}
          />
        }
        empty={{
          title: t('catalog.tax.empty'),
          about: t('catalog.tax.emptyMore'),
          actions: create,
        }}
        columns={[
          { key: 'name', head: t('catalog.name'), cell: (rate) => rate.displayName },
          { key: 'percent', head: t('catalog.tax.percentage'), cell: (rate) => `${percent(rate.percentage)} %` },
          {
            key: 'inclusive',
            head: t('catalog.tax.kind'),
            cell: (rate) => (rate.inclusive ? t('catalog.tax.isInclusive') : t('catalog.tax.isExclusive')),
          },
          { key: 'country', head: t('catalog.tax.jurisdiction'), isWide: true, cell: (rate) => rate.jurisdiction },
          {
            key: 'state',
            isCorner: true,
            head: t('catalog.state'),
            cell: (rate) =>
              rate.isActive ? <Status status="ACTIVE" /> : <Status status="INACTIVE">{t('catalog.archived')}</Status>,
          },
          ...(mayWrite ? [{ key: 'actions', head: '', align: 'end' as const, cell: actions }] : []),
        ]}
      />
      {doing?.what === 'create' && <TaxForm onClose={close} />}
      {doing?.what === 'edit' && <TaxForm rate={doing.rate} onClose={close} />}
      {doing?.what === 'archive' && (
        <ConfirmDialog
          title={t('catalog.tax.archiveTitle', { name: doing.rate.displayName })}
          about={t('catalog.tax.archiveAbout')}
          action={t('catalog.tax.archiveAction')}
          done={t('catalog.tax.archivedToast')}
          isDanger
          mutation={update}
          variables={{ id: doing.rate.id, input: { isActive: false } }}
          onClose={close}
        />
      )}
      <span className={styles.quiet}>{t('catalog.tax.everyApp')}</span>
    </PageFrame>
  );
}
