/** One entry per version: what leads from the version before to it. Entries are never edited, only added. */
export const schemaVersions: readonly string[] = [
  `
  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    stage TEXT NOT NULL,
    input TEXT NOT NULL            -- JSON: what the run was started with
  ) STRICT;

  -- Everything that changes the course of a run, in order; folding them gives its state.
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL REFERENCES runs (id),
    at INTEGER NOT NULL,
    event TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_of_run ON events (run, seq);

  -- The result of a step that must not happen twice, by its name.
  CREATE TABLE steps (
    run TEXT NOT NULL REFERENCES runs (id),
    step TEXT NOT NULL,
    at INTEGER NOT NULL,
    result TEXT NOT NULL,
    PRIMARY KEY (run, step)
  ) STRICT;

  -- Facts that change: plan, workers, exchanges, validation. One JSON value per name.
  CREATE TABLE facts (
    run TEXT NOT NULL REFERENCES runs (id),
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, name)
  ) STRICT;

  -- What is shown of conversations.
  CREATE TABLE rows (
    run TEXT NOT NULL REFERENCES runs (id),
    worker TEXT NOT NULL,
    place INTEGER NOT NULL,
    at INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (run, worker, place)
  ) STRICT;

  -- What a model is given again after a restart.
  CREATE TABLE histories (
    run TEXT NOT NULL REFERENCES runs (id),
    worker TEXT NOT NULL,
    messages TEXT NOT NULL,
    PRIMARY KEY (run, worker)
  ) STRICT;

  CREATE TABLE spending (
    request TEXT PRIMARY KEY,
    run TEXT NOT NULL REFERENCES runs (id),
    worker TEXT NOT NULL,
    model TEXT NOT NULL,
    at INTEGER NOT NULL,
    micro_dollars INTEGER NOT NULL,
    spent TEXT NOT NULL
  ) STRICT;
  CREATE INDEX spending_of_run ON spending (run, at);

  CREATE TABLE inbox (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL REFERENCES runs (id),
    at INTEGER NOT NULL,
    nonce TEXT NOT NULL UNIQUE,
    shown TEXT NOT NULL,
    item TEXT NOT NULL,
    answered_at INTEGER,
    decision TEXT
  ) STRICT;

  CREATE TABLE votes (
    run TEXT NOT NULL REFERENCES runs (id),
    attempt INTEGER NOT NULL,
    seat TEXT NOT NULL,
    replacement INTEGER NOT NULL,
    at INTEGER NOT NULL,
    vote TEXT NOT NULL,
    PRIMARY KEY (run, attempt, seat, replacement)
  ) STRICT
  `,
  `
  -- The conversation that a worker is in the middle of, to go on in it after a restart; the next one replaces it.
  CREATE TABLE open_conversations (
    run TEXT NOT NULL REFERENCES runs (id),
    worker TEXT NOT NULL,
    key TEXT NOT NULL,             -- what it was begun for
    delivered TEXT NOT NULL,       -- JSON: change ids of the messages that its prompt brought
    PRIMARY KEY (run, worker)
  ) STRICT;
  CREATE TABLE open_messages (
    run TEXT NOT NULL,
    worker TEXT NOT NULL,
    place INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (run, worker, place),
    FOREIGN KEY (run, worker) REFERENCES open_conversations (run, worker) ON DELETE CASCADE
  ) STRICT
  `,
  `
  -- Whose course an event belongs to. Before this version there was the root orchestrator alone.
  ALTER TABLE events ADD COLUMN orchestrator TEXT NOT NULL DEFAULT 'O-A-1'
  `,
  `
  -- 'stage': the course of an orchestrator. 'model': plans, workers, questions, decisions, results. Before this version
  -- the model was facts that were written over; they become one event that says how they stood.
  ALTER TABLE events ADD COLUMN concept TEXT NOT NULL DEFAULT 'stage';
  INSERT INTO events (run, orchestrator, at, event, concept)
  SELECT id, '', started_at, json_object(
    'kind', 'Imported',
    'run', json((SELECT value FROM facts WHERE run = runs.id AND name = 'run')),
    'facts', json((SELECT json_group_object(name, json(value)) FROM
      (SELECT name, value FROM facts WHERE run = runs.id AND name <> 'run' ORDER BY rowid)))
  ), 'model'
  FROM runs WHERE EXISTS (SELECT 1 FROM facts WHERE run = runs.id AND name = 'run') ORDER BY runs.rowid;
  -- What is left is a copy of the configuration file.
  DELETE FROM facts WHERE name <> 'config'
  `,
  `
  -- Where conversations stand is written by their drivers and read by nobody else. Until this version all of them were
  -- lists of messages, which the driver "hox" keeps as one part each.
  ALTER TABLE open_conversations ADD COLUMN driver TEXT NOT NULL DEFAULT 'hox';
  ALTER TABLE open_messages RENAME TO open_parts;
  ALTER TABLE open_parts RENAME COLUMN message TO part;
  ALTER TABLE histories RENAME COLUMN messages TO parts;
  ALTER TABLE histories ADD COLUMN driver TEXT NOT NULL DEFAULT 'hox';
  UPDATE histories SET parts = (SELECT json_group_array(value || '') FROM json_each(histories.parts))
  `,
  `
  -- What parts read before they were shortened, for as long as their conversation had at most so many of them.
  CREATE TABLE replaced_parts (
    run TEXT NOT NULL,
    worker TEXT NOT NULL,
    place INTEGER NOT NULL,
    up_to INTEGER NOT NULL,
    part TEXT NOT NULL,
    PRIMARY KEY (run, worker, place, up_to),
    FOREIGN KEY (run, worker) REFERENCES open_conversations (run, worker) ON DELETE CASCADE
  ) STRICT;
  -- Conversations of iterations that are over.
  CREATE TABLE kept_conversations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL REFERENCES runs (id),
    worker TEXT NOT NULL,
    iteration INTEGER NOT NULL,    -- 0: what the worker's first one begins with
    driver TEXT NOT NULL,
    "commit" TEXT,                 -- of its change when the iteration had ended
    characters INTEGER NOT NULL,
    at INTEGER NOT NULL,
    made_way INTEGER NOT NULL DEFAULT 0,
    UNIQUE (run, worker, iteration)
  ) STRICT;
  CREATE TABLE kept_texts (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE kept_parts (
    kept INTEGER NOT NULL REFERENCES kept_conversations (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    up_to INTEGER,                 -- null: as it read at the end
    hash TEXT NOT NULL REFERENCES kept_texts (hash)
  ) STRICT;
  CREATE INDEX parts_of_kept ON kept_parts (kept);
  CREATE INDEX kept_with_text ON kept_parts (hash)
  `,
  `
  -- Of the repository and of no run: goals for later, and suggestions that a person does not want to hear again.
  CREATE TABLE ideas (id TEXT PRIMARY KEY, at INTEGER NOT NULL, idea TEXT NOT NULL) STRICT;
  CREATE TABLE refused_suggestions (suggestion TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT
  `,
  `
  -- Of the repository and of no run: what panels said of changes.
  CREATE TABLE change_validations (
    id TEXT PRIMARY KEY,
    change_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX validations_of_change ON change_validations (change_id);
  CREATE INDEX verdict_events ON events (seq) WHERE json_extract(event, '$.kind') IN
    ('VotesCounted', 'ResultReturned', 'ResultLanded', 'LandingUndone', 'LandingRedone', 'LandingReverted')
  `,
  `
  -- Of the repository and of no run: what people decided about patterns. Cards that were approved before this version
  -- are the approvals that there were.
  CREATE TABLE pattern_record (seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, event TEXT NOT NULL) STRICT;
  INSERT INTO pattern_record (at, event)
  SELECT answered_at, json_object(
    'kind', 'PatternApproved',
    'id', json_extract(item, '$.category') || '/' || json_extract(item, '$.name'),
    'text', json_extract(item, '$.markdown'),
    'run', run, 'nonce', nonce, 'at', answered_at
  ) FROM inbox
  WHERE json_extract(item, '$.kind') = 'pattern' AND json_extract(decision, '$.kind') = 'approve'
  ORDER BY answered_at;
  CREATE INDEX pattern_uses ON events (run, seq) WHERE substr(event, 1, 22) = '{"kind":"PatternsTold"'
  `,
];
