/** An icon. It is always accompanied by text or by an accessible name. */
import { classNames } from './class-names.ts';
import styles from './icon.module.css';
import { drawings, type IconName } from './icon-drawings.ts';

export function Icon({ name, className }: { name: IconName; className?: string | undefined }) {
  return (
    <svg viewBox="0 0 24 24" className={classNames(styles.icon, className)} aria-hidden="true" focusable="false">
      <path d={drawings[name]} />
    </svg>
  );
}
