import type { MeasuredWorker } from "../../domain/metrics/measured-worker.ts";
import type { Score } from "../../domain/validation/score.ts";

/** What one worker of a run did, and what it took. */
export interface WorkerMetrics extends MeasuredWorker {}

/** How good finished work is, with what each part of it is made of. */
export interface ScoreView extends Score {}
