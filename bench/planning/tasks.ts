import { exampleTasks, type LabelledFile } from "./example-tasks.ts";

const python = `"""What is on the shelves."""
import json

MAX_ITEMS = 100
MAX_NAME = 40


class Inventory:
    """Things by name."""

    def __init__(self):
        self.items = {}

    def add(self, name, count):
        """Puts things on the shelf."""
        self.items[name] = self.items.get(name, 0) + count

    def remove(self, name, count):
        """Takes things off the shelf."""
        self.items[name] -= count

    def total(self):
        """How many things there are."""
        return sum(self.items.values())


def load(path):
    with open(path) as file:
        return json.load(file)


def save(path, items):
    with open(path, "w") as file:
        json.dump(items, file)
`;

const rust = `use std::collections::VecDeque;

/// How urgent a job is.
#[derive(Debug, Clone, PartialEq)]
pub enum Priority {
    Low,
    High,
}

pub struct Job {
    pub name: String,
    pub priority: Priority,
}

#[derive(Default)]
pub struct Queue {
    jobs: VecDeque<Job>,
}

impl Queue {
    /// Adds a job at the end.
    pub fn push(&mut self, job: Job) {
        self.jobs.push_back(job);
    }

    /// Takes the first job.
    pub fn pop(&mut self) -> Option<Job> {
        self.jobs.pop_front()
    }

    pub fn len(&self) -> usize {
        self.jobs.len()
    }
}

/// Reads a priority.
pub fn parse(text: &str) -> Option<Priority> {
    match text {
        "low" => Some(Priority::Low),
        "high" => Some(Priority::High),
        _ => None,
    }
}
`;

export const labelledFiles: readonly LabelledFile[] = [
  ...exampleTasks,
  {
    path: "src/inventory.py",
    text: python,
    semantic: [
      ["currency", "report"],
      ["atomic", "backup"],
    ],
    tasks: [
      {
        id: "validate",
        title: "Reject negative counts",
        description: "`Inventory.add` raises ValueError for a count below one.",
        symbols: ["Inventory.add"],
        patch: [
          [
            "        self.items[name] = self.items.get(name, 0) + count",
            '        if count < 1:\n            raise ValueError("count")\n        self.items[name] = self.items.get(name, 0) + count',
          ],
        ],
      },
      {
        id: "empty",
        title: "Drop things that are gone",
        description: "`Inventory.remove` deletes a name whose count reaches zero.",
        symbols: ["Inventory.remove"],
        patch: [
          [
            "        self.items[name] -= count",
            "        self.items[name] -= count\n        if self.items[name] <= 0:\n            del self.items[name]",
          ],
        ],
      },
      {
        id: "currency",
        title: "Totals by kind",
        description: "`Inventory.total` takes the kind of things to count: total(kind).",
        symbols: ["Inventory.total"],
        patch: [
          ["    def total(self):", "    def total(self, kind):"],
          [
            "        return sum(self.items.values())",
            "        return sum(count for name, count in self.items.items() if name.startswith(kind))",
          ],
        ],
      },
      {
        id: "find",
        title: "Find things by a part of their name",
        description: "Add `Inventory.find(part)` to src/inventory.py, at the end of the class.",
        symbols: ["Inventory.find"],
        patch: [
          [
            "        return sum(self.items.values())\n",
            "        return sum(self.items.values())\n\n    def find(self, part):\n        return [name for name in self.items if part in name]\n",
          ],
        ],
      },
      {
        id: "more-items",
        title: "Allow more things",
        description: "Raise `MAX_ITEMS` to 500.",
        symbols: ["MAX_ITEMS"],
        patch: [["MAX_ITEMS = 100", "MAX_ITEMS = 500"]],
      },
      {
        id: "longer-names",
        title: "Allow longer names",
        description: "Raise `MAX_NAME` to 80.",
        symbols: ["MAX_NAME"],
        patch: [["MAX_NAME = 40", "MAX_NAME = 80"]],
      },
      {
        id: "report",
        title: "Print a report",
        description:
          "Add a function `report(inventory)` to src/inventory.py that prints each thing and the total.",
        symbols: ["report"],
        patch: [
          [
            "        json.dump(items, file)\n",
            "        json.dump(items, file)\n\n\ndef report(inventory):\n    for name, count in inventory.items.items():\n        print(name, count)\n    print(inventory.total())\n",
          ],
        ],
      },
      {
        id: "atomic",
        title: "Write files atomically",
        description: "`save` takes the items first, save(items, path), and replaces the file in one step.",
        symbols: ["save"],
        patch: [
          [
            'def save(path, items):\n    with open(path, "w") as file:',
            "def save(items, path):\n    with replaced(path) as file:",
          ],
        ],
      },
      {
        id: "backup",
        title: "Back up before loading",
        description: "`load` writes a copy of what it has read with save.",
        symbols: ["load"],
        patch: [
          [
            "        return json.load(file)",
            '        items = json.load(file)\n    save(path + ".bak", items)\n    return items',
          ],
        ],
      },
    ],
  },
  {
    path: "src/queue.rs",
    text: rust,
    semantic: [["capped", "drain"]],
    tasks: [
      {
        id: "urgent",
        title: "Add urgent jobs",
        description: "Add a variant Urgent to `Priority`, and let `parse` read it.",
        symbols: ["Priority.Urgent", "parse"],
        patch: [
          ["    High,\n}", "    High,\n    Urgent,\n}"],
          [
            '        "high" => Some(Priority::High),',
            '        "high" => Some(Priority::High),\n        "urgent" => Some(Priority::Urgent),',
          ],
        ],
      },
      {
        id: "idle",
        title: "Add idle jobs",
        description: "Add a variant Idle to Priority.",
        symbols: ["Priority.Idle"],
        patch: [["    High,\n}", "    High,\n    Idle,\n}"]],
      },
      {
        id: "ordered",
        title: "Take urgent jobs first",
        description: "`Queue::pop` takes the first job of the highest priority.",
        symbols: ["Queue::pop"],
        patch: [
          [
            "        self.jobs.pop_front()",
            "        let at = self.jobs.iter().position(|job| job.priority == Priority::High);\n        self.jobs.remove(at.unwrap_or(0))",
          ],
        ],
      },
      {
        id: "capped",
        title: "Limit the queue",
        description: "`Queue::push` refuses a job beyond 100: it returns Result<(), Job>.",
        symbols: ["Queue::push"],
        patch: [
          [
            "    pub fn push(&mut self, job: Job) {",
            "    pub fn push(&mut self, job: Job) -> Result<(), Job> {",
          ],
          [
            "        self.jobs.push_back(job);",
            "        if self.jobs.len() == 100 {\n            return Err(job);\n        }\n        self.jobs.push_back(job);\n        Ok(())",
          ],
        ],
      },
      {
        id: "peek",
        title: "Look at the next job",
        description: "Add `Queue::peek` to src/queue.rs.",
        symbols: ["Queue::peek"],
        patch: [
          [
            "    pub fn len(&self)",
            "    pub fn peek(&self) -> Option<&Job> {\n        self.jobs.front()\n    }\n\n    pub fn len(&self)",
          ],
        ],
      },
      {
        id: "drain",
        title: "Move jobs between queues",
        description:
          "Add `move_all(from, to)` to src/queue.rs, a function that pushes all jobs of one queue to another.",
        symbols: ["move_all"],
        patch: [
          [
            "        _ => None,\n    }\n}\n",
            "        _ => None,\n    }\n}\n\npub fn move_all(from: &mut Queue, to: &mut Queue) {\n    while let Some(job) = from.pop() {\n        to.push(job);\n    }\n}\n",
          ],
        ],
      },
      {
        id: "lower",
        title: "Read priorities in any case",
        description: "`parse` ignores upper and lower case.",
        symbols: ["parse"],
        patch: [["    match text {", "    match text.to_lowercase().as_str() {"]],
      },
    ],
  },
];
