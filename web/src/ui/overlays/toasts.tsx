/** Short messages in the corner of the page: `const showToast = useToasts(); showToast({ title: 'Saved', tone: 'good' })`. */
import * as Radix from '@radix-ui/react-toast';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../button/button.tsx';
import { classNames } from '../class-names.ts';
import { Icon } from '../icon.tsx';
import { type Tone, toneIcons } from '../state/tones.ts';
import styles from './overlays.module.css';

export type Toast = { title: string; more?: ReactNode; tone?: Tone };

const SHOWN_MS = 6_000;
const MOST = 4;

const ToastContext = createContext<(toast: Toast) => void>(() => {});

export function useToasts(): (toast: Toast) => void {
  return useContext(ToastContext);
}

export function Toasts({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [toasts, setToasts] = useState<(Toast & { key: number })[]>([]);
  const count = useRef(0);
  const showToast = useCallback((toast: Toast) => {
    count.current += 1;
    const key = count.current;
    setToasts((shown) => [...shown.slice(1 - MOST), { ...toast, key }]);
  }, []);
  const forget = (key: number) => setToasts((shown) => shown.filter((one) => one.key !== key));
  return (
    <ToastContext value={showToast}>
      <Radix.Provider label={t('everywhere.notifications')} duration={SHOWN_MS} swipeDirection="right">
        {children}
        {toasts.map(({ key, title, more, tone = 'good' }) => (
          <Radix.Root
            key={key}
            className={classNames(styles.toast, styles[`toast_${tone}`])}
            onOpenChange={(open) => !open && forget(key)}
          >
            <Icon name={toneIcons[tone]} />
            <div>
              <Radix.Title className={styles.toastTitle}>{title}</Radix.Title>
              {more && <Radix.Description className={styles.toastMore}>{more}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <Button look="bare" size="small" icon="cross" aria-label={t('everywhere.close')} />
            </Radix.Close>
          </Radix.Root>
        ))}
        <Radix.Viewport className={styles.toasts} />
      </Radix.Provider>
    </ToastContext>
  );
}
