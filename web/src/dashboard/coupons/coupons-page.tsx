/** The coupons of the app: list, create, edit, archive and restore. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CouponListDocument, CouponUpdateDocument } from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { Status } from '../../ui/state/status.tsx';
import { Time } from '../../ui/state/time.tsx';
import { ConfirmDialog } from '../resources/confirm-dialog.tsx';
import { FilterSelect } from '../resources/filter-select.tsx';
import { isBare, ResourceList } from '../resources/resource-list.tsx';
import styles from '../resources/resources.module.css';
import { useAskPages } from '../resources/use-ask-pages.ts';
import { useFilter } from '../resources/use-filter.ts';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import { CouponForm } from './coupon-form.tsx';
import type { CouponRow } from './coupon-values.ts';
import { useCouponWords } from './use-coupon-words.ts';

type Doing = { what: 'create' } | { what: 'edit' | 'archive'; coupon: CouponRow };

export function CouponsPage() {
  const { t } = useTranslation();
  const formats = useFormats();
  const couponWords = useCouponWords();
  const { app, mayWrite } = useDashboard();
  const [shown, show] = useFilter('show', ['all'] as const);
  const [doing, setDoing] = useState<Doing>();
  const showToast = useToasts();
  const update = useApiMutation(CouponUpdateDocument);
  const list = useAskPages(
    CouponListDocument,
    { appId: app.id, ...(shown === 'all' ? {} : { isActive: true }) },
    (result) => result.coupons,
  );
  const restore = ({ id }: CouponRow) =>
    update.mutate(
      { id, input: { isActive: true } },
      { onSuccess: () => showToast({ title: t('links.coupon.broughtBack') }) },
    );
  const actions = (coupon: CouponRow) => (
    <Menu
      trigger={
        <Button look="bare" size="small" icon="dots" aria-label={t('catalog.actionsOf', { name: coupon.name })} />
      }
      entries={[
        { key: 'edit', words: t('catalog.edit'), onSelect: () => setDoing({ what: 'edit', coupon }) },
        coupon.isActive
          ? {
              key: 'archive',
              words: t('catalog.archive'),
              isDanger: true,
              onSelect: () => setDoing({ what: 'archive', coupon }),
            }
          : { key: 'back', words: t('catalog.bringBack'), onSelect: () => restore(coupon) },
      ]}
    />
  );
  const usedOf = ({ redemptionCount, maxRedemptions }: CouponRow) => {
    const used = formats.count(redemptionCount);
    return maxRedemptions ? t('links.coupon.usedOf', { used, most: formats.count(maxRedemptions) }) : used;
  };
  const close = () => setDoing(undefined);
  const create = mayWrite && (
    <Button look="primary" icon="plus" onPress={() => setDoing({ what: 'create' })}>
      {t('links.coupon.new')}
    </Button>
  );
  return (
    <PageFrame
      title={t('links.coupon.title')}
      about={t('links.coupon.about')}
      back={{ href: '/links', words: t('links.title') }}
      actions={!isBare(list, shown === 'all') && create}
    >
      <ResourceList
        caption={t('links.coupon.title')}
        {...list}
        isFiltered={shown === 'all'}
        filters={
          <FilterSelect
            label={t('links.coupon.show')}
            all={t('links.coupon.active')}
            value={shown}
            onChange={show}
            options={[{ value: 'all', words: t('links.coupon.all') }]}
          />
        }
        empty={{
          title: t('links.coupon.empty'),
          about: t('links.coupon.emptyMore'),
          actions: create,
        }}
        columns={[
          {
            key: 'name',
            head: t('catalog.name'),
            cell: (coupon) => (
              <span className={styles.stack}>
                {coupon.name}
                {coupon.code && <span className={styles.quiet}>{coupon.code}</span>}
              </span>
            ),
          },
          { key: 'off', head: t('links.coupon.kind'), cell: couponWords },
          { key: 'used', head: t('links.coupon.used'), align: 'end', cell: usedOf },
          {
            key: 'expires',
            head: t('links.coupon.expiresAt'),
            isWide: true,
            cell: (coupon) => coupon.expiresAt && <Time at={coupon.expiresAt} />,
          },
          {
            key: 'state',
            isCorner: true,
            head: t('catalog.state'),
            cell: ({ isActive }) =>
              isActive ? <Status status="ACTIVE" /> : <Status status="INACTIVE">{t('catalog.archived')}</Status>,
          },
          ...(mayWrite ? [{ key: 'actions', head: '', align: 'end' as const, cell: actions }] : []),
        ]}
      />
      {doing?.what === 'create' && <CouponForm onClose={close} />}
      {doing?.what === 'edit' && <CouponForm coupon={doing.coupon} onClose={close} />}
      {doing?.what === 'archive' && (
        <ConfirmDialog
          title={t('links.coupon.archiveTitle', { name: doing.coupon.name })}
          about={t('links.coupon.archiveAbout')}
          action={t('links.coupon.archiveAction')}
          done={t('links.coupon.archivedToast')}
          isDanger
          mutation={update}
          variables={{ id: doing.coupon.id, input: { isActive: false } }}
          onClose={close}
        />
      )}
    </PageFrame>
  );
}
