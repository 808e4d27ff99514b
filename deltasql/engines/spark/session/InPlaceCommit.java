package deltasql;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.executor.CommitDeniedException;
import org.apache.spark.internal.io.FileCommitProtocol;
import org.apache.spark.internal.io.FileNameSpec;

/**
 * Tasks write files where they stay, and the driver is told which ones the job has committed; nothing is renamed.
 *
 * Each attempt of a task has file names of its own. One attempt of a task may commit, as Spark's coordinator decides;
 * any other removes its files. What an executor that died has left is named by nobody. Janino compiles this when a
 * write needs it, against the Spark that runs: it knows no type parameters.
 */
public class InPlaceCommit extends FileCommitProtocol implements Serializable {
    private static final Map JOBS = new ConcurrentHashMap();

    private final String root;
    private transient List files;

    public InPlaceCommit(String job, String root) {
        this.root = root;
    }

    /** The files that the job which wrote to a folder has committed, below it; null for no such job. Told once. */
    public static List taken(String folder) {
        return (List) JOBS.remove(folder);
    }

    public void setupJob(JobContext job) {
    }

    public void setupTask(TaskAttemptContext task) {
        this.files = new ArrayList();
    }

    public String newTaskTempFile(TaskAttemptContext task, scala.Option folder, FileNameSpec name) {
        String number = String.format("%05d", new Object[] {task.getTaskAttemptID().getTaskID().getId()});
        String file = name.prefix() + "part-" + number + "-" + UUID.randomUUID() + name.suffix();
        this.files.add(folder.isDefined() ? folder.get() + "/" + file : file);
        return path(this.files.size() - 1).toString();
    }

    public String newTaskTempFile(TaskAttemptContext task, scala.Option folder, String suffix) {
        return newTaskTempFile(task, folder, new FileNameSpec("", suffix));
    }

    public String newTaskTempFileAbsPath(TaskAttemptContext task, String folder, FileNameSpec name) {
        throw new UnsupportedOperationException("a partition with a place of its own: " + folder);
    }

    public String newTaskTempFileAbsPath(TaskAttemptContext task, String folder, String suffix) {
        throw new UnsupportedOperationException("a partition with a place of its own: " + folder);
    }

    public FileCommitProtocol.TaskCommitMessage commitTask(TaskAttemptContext task) throws CommitDeniedException {
        TaskContext own = TaskContext.get();
        boolean first = SparkEnv.get().outputCommitCoordinator().canCommit(
            own.stageId(), own.stageAttemptNumber(), own.partitionId(), own.attemptNumber());
        if (!first) {
            throw new CommitDeniedException(
                "another attempt commits", own.stageId(), own.partitionId(), own.attemptNumber());
        }
        return new FileCommitProtocol.TaskCommitMessage(this.files);
    }

    public void abortTask(TaskAttemptContext task) throws IOException {
        for (int index = 0; index < this.files.size(); ++index) {
            path(index).getFileSystem(task.getConfiguration()).delete(path(index), false);
        }
    }

    public void commitJob(JobContext job, scala.collection.immutable.Seq tasks) {
        List committed = new ArrayList();
        scala.collection.Iterator each = tasks.iterator();
        while (each.hasNext()) {
            committed.addAll((List) ((FileCommitProtocol.TaskCommitMessage) each.next()).obj());
        }
        JOBS.put(new Path(this.root).getName(), committed);
    }

    public void abortJob(JobContext job) {
    }

    private Path path(int index) {
        return new Path(this.root, (String) this.files.get(index));
    }
}
