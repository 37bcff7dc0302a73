/** The list of subscriptions, filtered by status. A row shows whether a problem is expected with the next charge. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'wouter';
import { SubscriptionListDocument } from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Status } from '../../ui/state/status.tsx';
import { Time } from '../../ui/state/time.tsx';
import { customerName } from '../resources/customer-name.ts';
import { FilterSelect } from '../resources/filter-select.tsx';
import { isBare, ResourceList } from '../resources/resource-list.tsx';
import styles from '../resources/resources.module.css';
import { useAskPages } from '../resources/use-ask-pages.ts';
import { useFilter } from '../resources/use-filter.ts';
import { usePriceWords } from '../resources/use-price-words.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import { SubscriptionForm } from './subscription-form.tsx';

const statuses = ['PENDING', 'ACTIVE', 'PAUSED', 'PAST_DUE', 'CANCELLED'] as const;

export function SubscriptionsPage() {
  const { t } = useTranslation();
  const formats = useFormats();
  const { priceWords } = usePriceWords();
  const { app, mayWrite } = useDashboard();
  const [status, setStatus] = useFilter('status', statuses);
  const [renewal, setRenewal] = useFilter('renewal', ['failed'] as const);
  const [search] = useSearchParams();
  const customerAccountId = search.get('customer');
  const [isCreating, setCreating] = useState(false);
  const list = useAskPages(
    SubscriptionListDocument,
    {
      appId: app.id,
      ...(status ? { status } : {}),
      ...(customerAccountId ? { customerAccountId } : {}),
      ...(renewal ? { renewalFailed: true } : {}),
    },
    (result) => result.subscriptions,
  );
  const create = mayWrite && (
    <Button look="primary" icon="plus" onPress={() => setCreating(true)}>
      {t('subscriptions.new')}
    </Button>
  );
  return (
    <PageFrame
      title={t('subscriptions.title')}
      about={t('subscriptions.about')}
      actions={!isBare(list, status !== undefined || renewal !== undefined || customerAccountId !== null) && create}
    >
      <ResourceList
        caption={t('subscriptions.title')}
        {...list}
        wayOf={(subscription) => `/subscriptions/${subscription.id}`}
        isFiltered={status !== undefined || renewal !== undefined || customerAccountId !== null}
        filters={
          <>
            <FilterSelect
              label={t('catalog.state')}
              all={t('subscriptions.allStates')}
              value={status}
              onChange={setStatus}
              options={statuses.map((value) => ({ value, words: t(`everywhere.status.${value}`) }))}
            />
            <FilterSelect
              label={t('subscriptions.renewals')}
              all={t('subscriptions.allRenewals')}
              value={renewal}
              onChange={setRenewal}
              options={[{ value: 'failed', words: t('subscriptions.failedRenewals') }]}
            />
          </>
        }
        empty={{
          title: t('subscriptions.empty'),
          about: t('subscriptions.emptyMore'),
          actions: create,
        }}
        columns={[
          {
            key: 'customer',
            head: t('invoices.customer'),
            cell: (subscription) => (
              <span className={styles.customer}>{customerName(subscription.customerAccount)}</span>
            ),
          },
          {
            key: 'plan',
            head: t('catalog.plan.one'),
            cell: (subscription) => (
              <span className={styles.stack}>
                {subscription.productPlan.name}
                <span className={styles.quiet}>{priceWords(subscription.productPlanPrice)}</span>
              </span>
            ),
          },
          {
            key: 'status',
            isCorner: true,
            head: t('catalog.state'),
            cell: ({ status: state, renewalForecast: forecast }) => (
              <span className={styles.inline}>
                <Status status={state} />
                {state === 'ACTIVE' && forecast && forecast !== 'OK' && <Status status={forecast} />}
              </span>
            ),
          },
          {
            key: 'next',
            head: t('subscriptions.nextCharge'),
            isWide: true,
            cell: ({ status: state, cancelAt, currentPeriodEnd }) =>
              cancelAt
                ? t('subscriptions.endsOn', { day: formats.dayUtc(new Date(cancelAt)) })
                : state === 'ACTIVE' && currentPeriodEnd && formats.dayUtc(new Date(currentPeriodEnd)),
          },
          {
            key: 'created',
            head: t('catalog.created'),
            isWide: true,
            cell: (subscription) => <Time at={subscription.createdAt} />,
          },
        ]}
      />
      {isCreating && <SubscriptionForm onClose={() => setCreating(false)} />}
    </PageFrame>
  );
}
