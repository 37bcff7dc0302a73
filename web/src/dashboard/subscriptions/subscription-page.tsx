/** One subscription, updated live: its status, whether the next charge will be paid, and the upcoming and past charges. */
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'wouter';
import {
  type SubscriptionFactsFragment,
  SubscriptionLiveDocument,
  SubscriptionPageDocument,
} from '../../../../generated/web/documents.ts';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { Status } from '../../ui/state/status.tsx';
import { useCouponWords } from '../coupons/use-coupon-words.ts';
import { customerName } from '../resources/customer-name.ts';
import { Facts } from '../resources/facts.tsx';
import styles from '../resources/resources.module.css';
import { usePriceWords } from '../resources/use-price-words.ts';
import { questionKey, useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { useFollow } from '../session/use-follow.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import { Panel } from '../shell/panel.tsx';
import { ConsentFacts } from './consent-facts.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';
import { SubscriptionCalendar } from './subscription-calendar.tsx';
import { SubscriptionForecast } from './subscription-forecast.tsx';
import { SubscriptionInvoices } from './subscription-invoices.tsx';
import { SubscriptionUsage } from './subscription-usage.tsx';

export function SubscriptionPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const client = useQueryClient();
  const { data, error, refetch } = useAsk(SubscriptionPageDocument, { id });
  useFollow(SubscriptionLiveDocument, { id }, ({ subscriptionUpdated }) =>
    client.setQueryData(questionKey(SubscriptionPageDocument, { id }), { subscription: subscriptionUpdated }),
  );
  const subscription = data?.subscription;
  const back = { href: '/subscriptions', words: t('subscriptions.title') };
  if (!subscription) {
    return (
      <PageFrame title={t('subscriptions.one')} back={back}>
        {error ? <ErrorNote error={error} retry={refetch} /> : <Skeleton lines={8} />}
      </PageFrame>
    );
  }
  return (
    <PageFrame
      title={subscription.productPlan.name}
      about={customerName(subscription.customerAccount)}
      beside={<Status status={subscription.status} />}
      back={back}
      actions={mayWrite && <SubscriptionActions subscription={subscription} />}
    >
      <SubscriptionForecast subscription={subscription} />
      <div className={styles.columns}>
        <div className={styles.column}>
          <Panel title={t('subscriptions.calendar')} about={t('subscriptions.calendarAbout')}>
            <SubscriptionCalendar charges={subscription.upcomingCharges} />
          </Panel>
          {subscription.productPlanPrice.priceType === 'METERED' && (
            <Panel title={t('subscriptions.usage.title')} about={t('subscriptions.usage.about')}>
              <SubscriptionUsage usage={subscription.usage} />
            </Panel>
          )}
          <Panel title={t('invoices.title')}>
            <SubscriptionInvoices invoices={subscription.invoices} />
          </Panel>
        </div>
        <div className={styles.column}>
          <Panel title={t('catalog.about')}>
            <SubscriptionFacts subscription={subscription} />
          </Panel>
          <Panel title={t('subscriptions.consent')} about={t('subscriptions.consentAbout')}>
            <ConsentFacts subscription={subscription} />
          </Panel>
        </div>
      </div>
    </PageFrame>
  );
}

function SubscriptionFacts({ subscription }: { subscription: SubscriptionFactsFragment }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { priceWords } = usePriceWords();
  const couponWords = useCouponWords();
  const { coupon, couponPeriodsLeft: periodsLeft } = subscription;
  const { id, customerAccount, productPlan, productPlanPrice, nextPlanPrice, upcomingCharges } = subscription;
  const day = (at: string | null | undefined) => at && formats.day(new Date(at));
  const dayUtc = (at: string | null | undefined) => at && formats.dayUtc(new Date(at));
  const [next] = upcomingCharges;
  return (
    <Facts
      facts={[
        {
          key: 'customer',
          name: t('invoices.customer'),
          value: <Link href={`/customers/${customerAccount.id}`}>{customerName(customerAccount)}</Link>,
        },
        {
          key: 'plan',
          name: t('catalog.plan.one'),
          value: <Link href={`/plans/${productPlan.id}`}>{productPlan.name}</Link>,
        },
        { key: 'price', name: t('catalog.price.title'), value: priceWords(productPlanPrice) },
        {
          key: 'nextPrice',
          name: t('subscriptions.nextPrice'),
          value: nextPlanPrice && priceWords(nextPlanPrice),
        },
        {
          key: 'coupon',
          name: t('links.coupon.choice'),
          value: coupon && (
            <span className={styles.stack}>
              {`${coupon.name} · ${couponWords(coupon)}`}
              {typeof periodsLeft === 'number' && (
                <span className={styles.quiet}>
                  {periodsLeft === 0
                    ? t('subscriptions.couponEnded')
                    : t('subscriptions.couponLeft', { count: periodsLeft })}
                </span>
              )}
            </span>
          ),
        },
        {
          key: 'period',
          name: t('subscriptions.period'),
          value:
            subscription.currentPeriodStart &&
            `${dayUtc(subscription.currentPeriodStart)} – ${dayUtc(subscription.currentPeriodEnd)}`,
        },
        { key: 'trial', name: t('subscriptions.trialEnd'), value: dayUtc(subscription.trialEnd) },
        {
          key: 'next',
          name: t('subscriptions.nextCharge'),
          value: next && `${dayUtc(next.dueAt)} · ${formats.fiat(next.total, next.currency)}`,
        },
        {
          key: 'tries',
          name: t('subscriptions.failedTries'),
          value: t('subscriptions.triesOf', {
            failed: subscription.captureRetryCount,
            most: subscription.maxCaptureRetries,
          }),
        },
        { key: 'pausedAt', name: t('subscriptions.pausedAt'), value: day(subscription.pausedAt) },
        { key: 'pastDue', name: t('subscriptions.pastDueSince'), value: day(subscription.pastDueSince) },
        {
          key: 'cancelAt',
          name: t('subscriptions.endsAt'),
          value: subscription.cancelledAt ? null : dayUtc(subscription.cancelAt),
        },
        { key: 'cancelled', name: t('subscriptions.cancelledAt'), value: day(subscription.cancelledAt) },
        { key: 'created', name: t('catalog.created'), value: day(subscription.createdAt) },
        {
          key: 'id',
          name: t('catalog.id'),
          value: (
            <span className={styles.inline}>
              <code>{id}</code>
              <CopyButton text={id} name={t('catalog.id')} />
            </span>
          ),
        },
      ]}
    />
  );
}
