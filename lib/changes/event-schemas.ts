import type { EventType } from './pilotless-event';

/** The JSON Schema (draft 2020-12) of each event's detail: a file of the folder `schemas` beside this one. */
export const EVENT_SCHEMAS = {
  'Service Added': 'service-change.json',
  'Service Updated': 'service-change.json',
  'Service Deleted': 'service-change.json',
  'Endpoints Changed': 'service-change.json',
  'Registry Failed': 'registry-event.json',
  'Registry Recovered': 'registry-event.json',
  'Removal Held': 'registry-event.json',
  'Removal Released': 'registry-event.json',
  'Push Requested': 'push-requested.json',
} as const satisfies Readonly<Record<EventType, string>>;
