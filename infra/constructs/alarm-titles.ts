/** The stages that alarms stand for, in the order of the life of a service. */
export const STAGES = ['Poll', 'Aggregate', 'Publish', 'Push', 'Reconcile'] as const;

export type Stage = (typeof STAGES)[number];

export const STAGE_ALARMS = ['failing', 'not running', 'stale', 'dead letters'] as const;

export type StageAlarmTitle = `${Stage} ${(typeof STAGE_ALARMS)[number]}`;

/** Titles of all alarms. Each has a heading of the same name in the runbook (README), where an alarm's reader is sent. */
export const ALARM_TITLES = [
  ...STAGES.flatMap((stage) => STAGE_ALARMS.map((alarm): StageAlarmTitle => `${stage} ${alarm}`)),
  'Item too large',
] as const;

export type AlarmTitle = StageAlarmTitle | 'Item too large';
